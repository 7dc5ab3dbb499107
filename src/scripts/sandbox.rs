//! A Lua in which scripts can do nothing but compute: what they may use, and the bounds on instructions and memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mlua::{Function, HookTriggers, Lua, LuaOptions, StdLib, Table, Value, VmState};

/// Instructions between two looks at the budget, and looks that one call may use up.
const HOOK_EVERY: u32 = 20_000;
pub const HOOKS: usize = 50;
/// Bytes that one interpreter may use.
pub const MEMORY: usize = 16 << 20;

/// What scripts may use; all else is taken away.
const KEPT: &[&str] =
    &["_G", "_VERSION", "assert", "error", "ipairs", "math", "select", "string", "table", "tonumber", "type"];
/// And from the libraries: chance, addresses, and what can run long without an instruction being counted.
const REMOVED: &[(&str, &[&str])] = &[
    ("math", &["random", "randomseed"]),
    ("string", &["dump", "find", "format", "gmatch", "gsub", "match", "pack", "packsize", "rep", "unpack"]),
    ("table", &["move"]),
];

/// Makes the globals of a fresh interpreter as often as they are wanted: copies, so that nothing a script does to them stays.
const GLOBALS: &str = r#"
local next, type, strings, pristine = next, type, getmetatable(""), _G
return function()
  local globals = {}
  for name, value in next, pristine do
    if type(value) == "table" then
      local copy = {}
      for key, entry in next, value do
        copy[key] = entry
      end
      value = copy
    end
    globals[name] = value
  end
  globals._G = globals
  strings.__index = globals.string
  return globals
end
"#;

/// What scripts have besides: `pairs` in sorted order, `tostring` without addresses, the size of a set.
const PRELUDE: &str = r#"
local next, type, tostring_with_addresses, sort, error = next, type, tostring, table.sort, error

local function before(a, b)
  if type(a) ~= type(b) then
    return type(a) < type(b)
  end
  if type(a) ~= "number" and type(a) ~= "string" then
    error("pairs goes through tables whose keys are numbers or texts", 0)
  end
  return a < b
end

function pairs(t)
  local keys = {}
  for key in next, t do
    keys[#keys + 1] = key
  end
  sort(keys, before)
  local at = 0
  return function()
    at = at + 1
    if keys[at] ~= nil then
      return keys[at], t[keys[at]]
    end
  end
end

function tostring(x)
  if type(x) == "table" or type(x) == "function" then
    return type(x)
  end
  return tostring_with_addresses(x)
end

local sizes = {[0] = 0}
for set = 1, 255 do
  sizes[set] = sizes[set >> 1] + (set & 1)
end

function count(set)
  local n = 0
  while set & ~255 ~= 0 do
    set = set & (set - 1)
    n = n + 1
  end
  return n + sizes[set]
end
"#;

/// A Lua in which scripts can do nothing but compute.
pub struct Sandbox {
    pub lua: Lua,
    /// Makes the globals; see [`GLOBALS`].
    pub globals: Function,
    /// What reads packed numbers, which scripts do not get.
    pub unpack: Function,
}

/// `options` are those of the game, which scripts are shown.
pub fn sandbox(options: &[(&'static str, &'static str)]) -> mlua::Result<Sandbox> {
    let lua = Lua::new_with(StdLib::MATH | StdLib::STRING | StdLib::TABLE, LuaOptions::default())?;
    let pristine = lua.globals();
    lua.load(PRELUDE).set_name("@prelude").exec()?;
    let globals: Function = lua.load(GLOBALS).set_name("@globals").eval()?;
    let unpack: Function = pristine.raw_get::<Table>("string")?.raw_get("unpack")?;
    let mut names = Vec::new();
    for pair in pristine.pairs::<Value, Value>() {
        names.push(pair?.0);
    }
    let made = ["pairs", "tostring", "count"];
    for name in names {
        let keep = name.as_string().is_some_and(|name| {
            let name = name.to_string_lossy();
            KEPT.contains(&name.as_str()) || made.contains(&name.as_str())
        });
        if !keep {
            pristine.raw_set(name, Value::Nil)?;
        }
    }
    for (library, functions) in REMOVED {
        let library: Table = pristine.raw_get(*library)?;
        for function in *functions {
            library.raw_set(*function, Value::Nil)?;
        }
    }
    pristine.raw_set("game", lua.create_table_from(options.iter().copied())?)?;
    lua.set_memory_limit(MEMORY)?;
    Ok(Sandbox { lua, globals, unpack })
}

/// Counts instructions from now on, and stops what has used up its budget.
pub fn watch(lua: &Lua, budget: &Arc<AtomicUsize>) -> mlua::Result<()> {
    let left = budget.clone();
    lua.set_global_hook(HookTriggers::new().every_nth_instruction(HOOK_EVERY), move |_, debug| {
        // The counter stays at zero: a script over its budget is stopped at every further look.
        let over = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1)).is_err();
        if over {
            let most = HOOK_EVERY as usize * HOOKS;
            let file = debug.source().short_src.unwrap_or_default().into_owned();
            let line = debug.current_line().unwrap_or(1);
            let text = format!("{file}:{line}: the script takes more than {most} instructions");
            return Err(mlua::Error::runtime(text));
        }
        Ok(VmState::Continue)
    })
}
