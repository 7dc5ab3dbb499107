//! Rule scripts: small programs in Lua that choose how a move is completed, shut off from everything else.
//!
//! A script is a text that returns a function. The function is given a table of facts (`turn`) and returns
//! the number of an option and what it is worth, in 0..1. It sees no files, no clock, no chance and no
//! addresses; `pairs` goes through a table in the order of its keys; instructions and memory are bounded.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use mlua::chunk::ChunkMode;
use mlua::{Function, HookTriggers, Lua, LuaOptions, StdLib, Table, Value, VmState};

use crate::game::{Fact, Game, Question, Stages};
use crate::spec::OptionInfo;
use crate::types::{Error, Result, Rng};

/// Instructions between two looks at the budget, and looks that one call may use up.
const HOOK_EVERY: u32 = 20_000;
const HOOKS: usize = 50;
/// Bytes that one interpreter may use.
const MEMORY: usize = 16 << 20;
/// Longer texts are no rules.
const MAX_LENGTH: u64 = 1 << 20;
/// Positions on which the scripts of a player are tried before it plays.
const TRIAL: usize = 40;

/// What scripts may use; all else is taken away.
const KEPT: &[&str] =
    &["_G", "_VERSION", "assert", "error", "ipairs", "math", "select", "string", "table", "tonumber", "type"];
/// And from the libraries: chance, addresses, and what can run long without an instruction being counted.
const REMOVED: &[(&str, &[&str])] = &[
    ("math", &["random", "randomseed"]),
    ("string", &["dump", "find", "format", "gmatch", "gsub", "match", "pack", "packsize", "rep", "unpack"]),
    ("table", &["move"]),
];

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

function count(set)
  local n = 0
  while set ~= 0 do
    set = set & (set - 1)
    n = n + 1
  end
  return n
end
"#;

/// The option that names a folder of scripts.
pub const OPTION: OptionInfo =
    OptionInfo::text("rules", "none", "folder with a script for each character; none: those of the package")
        .or_none();

/// The scripts of one game, read and tried out.
pub struct Book {
    /// Where they are from, for messages.
    place: String,
    /// File name and text, by number.
    scripts: Vec<(String, String)>,
}

/// A lock that a panic elsewhere has not made useless.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl Book {
    /// The scripts of `game`, from a folder or from the package. Refuses what does not run.
    pub fn open<G: Game>(game: &G, stages: &dyn Stages<G>, folder: Option<&str>) -> Result<Arc<Book>> {
        static KNOWN: OnceLock<Mutex<BTreeMap<String, Arc<Book>>>> = OnceLock::new();
        let (place, scripts) = read(stages, folder)?;
        // A text that has been tried out on this game is not tried out again.
        let text: Vec<&str> = scripts.iter().map(|(_, text)| text.as_str()).collect();
        let key = format!("{}\0{place}\0{}", G::INFO.name, text.join("\0"));
        let known = KNOWN.get_or_init(Mutex::default);
        if let Some(book) = locked(known).get(&key) {
            return Ok(book.clone());
        }
        let book = Arc::new(Book { place, scripts });
        try_out(&book, game, stages, TRIAL, 1)?;
        locked(known).insert(key, book.clone());
        Ok(book)
    }
}

/// File names and texts of the scripts, by number, and where they are from.
fn read<G: Game>(stages: &dyn Stages<G>, folder: Option<&str>) -> Result<(String, Vec<(String, String)>)> {
    let Some(folder) = folder else {
        let shipped = stages.scripts().iter().map(|&(name, text)| (format!("{name}.lua"), text.to_string()));
        return Ok(("rules".to_string(), shipped.collect()));
    };
    let mut scripts = Vec::new();
    for (name, _) in stages.scripts() {
        let file = format!("{name}.lua");
        let path = Path::new(folder).join(&file);
        let refuse = |why: String| Error::new(format!("rules: cannot read {}: {why}", path.display()));
        let length = fs::metadata(&path).map_err(|error| refuse(error.to_string()))?.len();
        if length > MAX_LENGTH {
            return Err(refuse(format!("{length} bytes are more than {MAX_LENGTH}")));
        }
        let text = fs::read_to_string(&path).map_err(|error| refuse(error.to_string()))?;
        scripts.push((file, text));
    }
    Ok((format!("rules in {folder}"), scripts))
}

/// Asks every script on positions of random games; the number of questions.
fn try_out<G: Game>(
    book: &Arc<Book>,
    game: &G,
    stages: &dyn Stages<G>,
    positions: usize,
    seed: u64,
) -> Result<usize> {
    let mut asker = Asker::new(book)?;
    let mut rng = Rng::stream(&[seed]);
    let mut state = game.initial_state(&mut rng);
    let mut asked = 0;
    let mut keys = Vec::new();
    for _ in 0..positions {
        if game.outcome(&state).is_some() {
            state = game.initial_state(&mut rng);
        }
        keys.clear();
        stages.keys(&state, &mut keys);
        // One destination of each script is enough for a position.
        rng.shuffle(&mut keys);
        let mut done = vec![false; stages.scripts().len()];
        for &key in &keys {
            let script = stages.script_of(key);
            if done[script] {
                continue;
            }
            let question = stages.question(&state, key);
            if question.settled.is_none() {
                asker.ask(&question)?;
                done[script] = true;
                asked += 1;
            }
        }
        let key = stages.safe_key(&state, &mut rng);
        let mv = stages.random_use(&state, key, &mut rng);
        game.play(&mut state, mv);
    }
    Ok(asked)
}

fn stages_of<G: Game>(game: &G) -> Result<&dyn Stages<G>> {
    game.stages().ok_or_else(|| {
        Error::new(format!("{} has no rule scripts: its moves are not made in stages", G::INFO.name))
    })
}

/// File names and texts of the scripts that the package brings.
pub fn shipped<G: Game>(game: &G) -> Result<Vec<(String, String)>> {
    read(stages_of(game)?, None).map(|(_, scripts)| scripts)
}

/// Runs the scripts of a folder against many positions; the number of questions that they answered.
pub fn check<G: Game>(game: &G, folder: Option<&str>, positions: usize, seed: u64) -> Result<usize> {
    let stages = stages_of(game)?;
    let book = Book::open(game, stages, folder)?;
    try_out(&book, game, stages, positions, seed)
}

/// Who asks scripts: one interpreter of its own, so that nothing a script keeps outlives a search.
pub struct Asker {
    book: Arc<Book>,
    interpreter: Interpreter,
}

impl Asker {
    pub fn new(book: &Arc<Book>) -> Result<Asker> {
        let interpreter = Interpreter::new(&book.scripts).map_err(|error| error.within(&book.place))?;
        Ok(Asker { book: book.clone(), interpreter })
    }

    /// The number of the option that the script chooses, counted from 0, and what it is worth.
    pub fn ask(&mut self, question: &Question) -> Result<(usize, f32)> {
        let (file, _) = &self.book.scripts[question.script];
        self.interpreter.ask(question, file).map_err(|error| error.within(&self.book.place))
    }
}

/// The facts of the question under way. Most scripts read few of them, so they are handed over when they are
/// read for the first time.
#[derive(Default)]
struct Facts {
    facts: Vec<(&'static str, Fact)>,
    /// Those that have been handed over.
    read: Vec<&'static str>,
}

/// One Lua with the scripts of a book in it.
struct Interpreter {
    lua: Lua,
    scripts: Vec<Function>,
    /// What every script is given.
    turn: Table,
    facts: Arc<Mutex<Facts>>,
    options: Table,
    /// Option tables, filled again and again.
    pool: Vec<Table>,
    /// Options in the last question, and the names of their facts.
    shown: usize,
    names: &'static [&'static str],
    /// Looks at the budget left to the call under way.
    budget: Arc<AtomicUsize>,
}

/// The first line of what Lua says; it names file and line where there are any.
fn told(file: &str, error: &mlua::Error) -> Error {
    let text = match error {
        mlua::Error::CallbackError { cause, .. } => return told(file, cause),
        mlua::Error::SyntaxError { message, .. } | mlua::Error::RuntimeError(message) => message.clone(),
        other => other.to_string(),
    };
    let line = text.lines().next().unwrap_or_default();
    Error::new(if line.starts_with(file) { line.to_string() } else { format!("{file}: {line}") })
}

impl Interpreter {
    fn new(scripts: &[(String, String)]) -> Result<Interpreter> {
        let budget = Arc::new(AtomicUsize::new(HOOKS));
        let lua = sandbox(&budget).map_err(|error| told("lua", &error))?;
        let make = |file: &str, text: &str| -> Result<Function> {
            budget.store(HOOKS, Ordering::Relaxed);
            let chunk = lua.load(text).set_name(format!("@{file}")).set_mode(ChunkMode::Text);
            match chunk.eval::<Value>().map_err(|error| told(file, &error))? {
                Value::Function(script) => Ok(script),
                other => {
                    let line = text.lines().count().max(1);
                    let kind = other.type_name();
                    Err(Error::new(format!("{file}:{line}: the script must return a function, not {kind}")))
                }
            }
        };
        let made: Result<Vec<Function>> = scripts.iter().map(|(file, text)| make(file, text)).collect();
        let scripts = made?;
        let facts = Arc::new(Mutex::new(Facts::default()));
        let (turn, options) = tables(&lua, &facts).map_err(|error| told("lua", &error))?;
        let pool = Vec::new();
        Ok(Interpreter { lua, scripts, turn, facts, options, pool, shown: 0, names: &[], budget })
    }

    /// Writes a question into the tables of the script.
    fn show(&mut self, question: &Question) -> mlua::Result<()> {
        let mut facts = locked(&self.facts);
        for name in std::mem::take(&mut facts.read) {
            self.turn.raw_set(name, Value::Nil)?;
        }
        facts.facts.clone_from(&question.facts);
        drop(facts);
        let width = question.names.len().max(1);
        let mut shown = 0;
        for option in question.options.chunks_exact(width) {
            if shown == self.pool.len() {
                self.pool.push(self.lua.create_table()?);
            }
            let table = &self.pool[shown];
            // The numbers of another character's options must not be left in it.
            if shown >= self.shown || self.names != question.names {
                table.clear()?;
            }
            for (name, n) in question.names.iter().zip(option) {
                table.raw_set(*name, *n)?;
            }
            shown += 1;
            self.options.raw_seti(shown, table)?;
        }
        for i in shown..self.shown {
            self.options.raw_seti(i + 1, Value::Nil)?;
        }
        (self.shown, self.names) = (shown, question.names);
        self.turn.raw_set("options", &self.options)
    }

    fn ask(&mut self, question: &Question, file: &str) -> Result<(usize, f32)> {
        self.show(question).map_err(|error| told(file, &error))?;
        self.budget.store(HOOKS, Ordering::Relaxed);
        let script = &self.scripts[question.script];
        let answer: (Value, Value) = script.call(&self.turn).map_err(|error| told(file, &error))?;
        let count = self.shown;
        let chosen = answer.0.as_integer().filter(|&n| (1..=count as i64).contains(&n));
        let worth = answer.1.as_number().or_else(|| answer.1.as_integer().map(|n| n as f64));
        match (chosen, worth.filter(|worth| worth.is_finite())) {
            (Some(chosen), Some(worth)) => Ok((chosen as usize - 1, worth as f32)),
            _ => {
                let line = script.info().line_defined.unwrap_or(1);
                let said = |value: &Value| match value {
                    Value::Integer(n) => n.to_string(),
                    Value::Number(x) => x.to_string(),
                    other => other.type_name().to_string(),
                };
                Err(Error::new(format!(
                    "{file}:{line}: answered {} and {}: expected an option from 1 to {count} and what it is worth",
                    said(&answer.0),
                    said(&answer.1),
                )))
            }
        }
    }
}

/// The table that scripts are given, whose facts come when they are read, and the table of options.
fn tables(lua: &Lua, facts: &Arc<Mutex<Facts>>) -> mlua::Result<(Table, Table)> {
    let (turn, options, meta) = (lua.create_table()?, lua.create_table()?, lua.create_table()?);
    let facts = facts.clone();
    let hand_over = lua.create_function(move |lua, (turn, name): (Table, Value)| {
        let mut facts = locked(&facts);
        let Some(wanted) = name.as_string().map(|name| name.to_string_lossy()) else { return Ok(Value::Nil) };
        let Some(at) = facts.facts.iter().position(|(name, _)| *name == wanted) else {
            return Ok(Value::Nil);
        };
        let (name, fact) = facts.facts.swap_remove(at);
        facts.read.push(name);
        let value = match fact {
            Fact::Number(n) => Value::Integer(n),
            Fact::Word(word) => Value::String(lua.create_string(word)?),
            Fact::Numbers(list) => Value::Table(lua.create_sequence_from(list)?),
        };
        turn.raw_set(name, &value)?;
        Ok(value)
    })?;
    meta.raw_set("__index", hand_over)?;
    turn.set_metatable(Some(meta))?;
    Ok((turn, options))
}

/// A Lua in which scripts can do nothing but compute, and not for long.
fn sandbox(budget: &Arc<AtomicUsize>) -> mlua::Result<Lua> {
    let lua = Lua::new_with(StdLib::MATH | StdLib::STRING | StdLib::TABLE, LuaOptions::default())?;
    let globals = lua.globals();
    lua.load(PRELUDE).set_name("@prelude").exec()?;
    let mut names = Vec::new();
    for pair in globals.pairs::<Value, Value>() {
        names.push(pair?.0);
    }
    let made = ["pairs", "tostring", "count"];
    for name in names {
        let keep = name.as_string().is_some_and(|name| {
            let name = name.to_string_lossy();
            KEPT.contains(&name.as_str()) || made.contains(&name.as_str())
        });
        if !keep {
            globals.raw_set(name, Value::Nil)?;
        }
    }
    for (library, functions) in REMOVED {
        let library: Table = globals.raw_get(*library)?;
        for function in *functions {
            library.raw_set(*function, Value::Nil)?;
        }
    }
    lua.set_memory_limit(MEMORY)?;
    let left = budget.clone();
    lua.set_global_hook(HookTriggers::new().every_nth_instruction(HOOK_EVERY), move |_, debug| {
        // The counter stays at zero: whoever is over the budget is stopped at every further look.
        let over = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1)).is_err();
        if over {
            let most = HOOK_EVERY as usize * HOOKS;
            let file = debug.source().short_src.unwrap_or_default().into_owned();
            let line = debug.current_line().unwrap_or(1);
            let text = format!("{file}:{line}: the script takes more than {most} instructions");
            return Err(mlua::Error::runtime(text));
        }
        Ok(VmState::Continue)
    })?;
    Ok(lua)
}

#[cfg(test)]
mod tests;
