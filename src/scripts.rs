//! Rule scripts: small programs in Lua that choose how a move is completed, shut off from everything else.
//!
//! A script is a text that returns a function. The function is given a table of facts (`turn`) and returns
//! the number of an option and what it is worth, in 0..1. The table `game` holds the options of the game. It sees no
//! files, no clock, no chance and no addresses; `pairs` goes through a table in the order of its keys; instructions and memory are bounded.

use std::any::Any;
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::hash::{BuildHasherDefault, Hasher};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use mlua::chunk::ChunkMode;
use mlua::{Function, HookTriggers, Lua, LuaOptions, StdLib, Table, Value, VmState};

use crate::game::{Fact, Game, Lists, Question, Scripts};
use crate::spec::OptionInfo;
use crate::types::{Error, Move, Result, Rng, mix};

/// Instructions between two looks at the budget, and looks that one call may use up.
const HOOK_EVERY: u32 = 20_000;
const HOOKS: usize = 50;
/// Bytes that one interpreter may use.
const MEMORY: usize = 16 << 20;
/// Longer texts are no rules, nor anything else that a player reads.
const MAX_LENGTH: u64 = 1 << 20;
/// Interpreters of a script set that wait for a search, at most, and bytes of the largest that may. What a script has
/// used before is then far from the bound on memory, so that it makes no difference to the next search.
const SPARE: usize = 64;
const SPARE_MEMORY: usize = MEMORY / 8;
/// Answers that an asker remembers at most.
const REMEMBERED: usize = 1 << 15;
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

/// Makes the function that puts a question to a script: it is given the packed numbers, and how many options
/// they tell of. Everything is written into the same tables again and again, because making tables is what
/// costs time. Between the two parts stand the names of the facts.
const DRIVER: &str = r#"
local unpack, script, turn = ...
local pool, options, shown = {}, {}, 0
return function(data, count)
  local at = 1
  FACTS
  for i = 1, count do
    local option = pool[i]
    if option == nil then
      option = {}
      pool[i] = option
    end
    OPTION
    options[i] = option
  end
  for i = count + 1, shown do
    options[i] = nil
  end
  shown = count
  turn.options = options
  return script(turn)
end
"#;

/// The option that names a folder of scripts.
pub const OPTION: OptionInfo =
    OptionInfo::text("rules", "none", "folder of rule scripts; none: those of the package").or_none();

/// The scripts of one game, read and tried out.
pub struct ScriptSet {
    /// Where they are from, for messages.
    place: String,
    texts: Texts,
    /// The options of the game that they are for.
    options: Vec<(&'static str, &'static str)>,
    /// Interpreters that no search uses now.
    spare: Mutex<Vec<Interpreter>>,
}

/// The texts of a script set with their file names.
struct Texts {
    /// What all scripts share; a folder need not have it.
    common: Option<(String, String)>,
    /// By number.
    scripts: Vec<(String, String)>,
}

impl Texts {
    /// The shared one first.
    fn all(&self) -> impl Iterator<Item = &(String, String)> {
        self.common.iter().chain(&self.scripts)
    }
}

/// A lock that a panic elsewhere has not made useless.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl ScriptSet {
    /// The scripts of `game`, from a folder or from the package. Refuses what does not run.
    pub fn open<G: Game>(game: &G, scripts: &dyn Scripts<G>, folder: Option<&str>) -> Result<Arc<ScriptSet>> {
        static KNOWN: OnceLock<Mutex<BTreeMap<String, Arc<ScriptSet>>>> = OnceLock::new();
        let (place, texts) = read(scripts, folder)?;
        let options = scripts.options();
        // A text that has been tried out on this game with these options is not tried out again.
        let text: Vec<String> = texts.all().map(|(file, text)| format!("{file}\0{text}")).collect();
        let key = format!("{}{options:?}\0{place}\0{}", G::INFO.name, text.join("\0"));
        let known = KNOWN.get_or_init(Mutex::default);
        if let Some(set) = locked(known).get(&key) {
            return Ok(set.clone());
        }
        let set = Arc::new(ScriptSet { place, texts, options, spare: Mutex::default() });
        try_out(&set, game, scripts, TRIAL, 1)?;
        locked(known).insert(key, set.clone());
        Ok(set)
    }

    /// An interpreter that knows nothing of what was asked before. To make one takes ten times as long as to clear a
    /// spare one.
    fn interpreter(&self) -> Result<Interpreter> {
        let spare = locked(&self.spare).pop();
        let made = spare.map_or_else(|| Interpreter::new(&self.texts, &self.options), Ok);
        let cleared = made.and_then(|mut interpreter| {
            interpreter.clear(&self.texts)?;
            Ok(interpreter)
        });
        cleared.map_err(|error| error.within(&self.place))
    }

    fn take_back(&self, interpreter: Interpreter) {
        let mut spare = locked(&self.spare);
        if spare.len() < SPARE && interpreter.lua.used_memory() <= SPARE_MEMORY {
            spare.push(interpreter);
        }
    }
}

/// The script sets of the folders they were read from; None: those of the package.
type Opened = BTreeMap<Option<String>, Arc<ScriptSet>>;

/// What a player has made of it, by a name that says of what.
type Made = BTreeMap<String, Arc<dyn Any + Send + Sync>>;

/// The script sets that a player has opened, other files that it has read, and what it has made of them. All its games
/// share them: it plays by what it began with, whatever becomes of the files.
#[derive(Default)]
pub struct PlayerFiles {
    opened: Mutex<Opened>,
    files: Mutex<BTreeMap<String, Arc<str>>>,
    made: Mutex<Made>,
}

impl PlayerFiles {
    /// Who asks the scripts of a folder; see [`ScriptSet::open`].
    pub fn asker<G: Game>(&self, game: &G, scripts: &dyn Scripts<G>, folder: Option<&str>) -> Result<Asker> {
        let mut opened = locked(&self.opened);
        let folder = folder.map(str::to_string);
        let set = match opened.get(&folder) {
            Some(set) => set.clone(),
            None => {
                let set = ScriptSet::open(game, scripts, folder.as_deref())?;
                opened.insert(folder, set.clone());
                set
            }
        };
        drop(opened);
        Asker::of(set)
    }

    /// What `make` makes, made once per player; `name` says of what.
    pub fn made<T: Send + Sync + 'static>(
        &self,
        name: &str,
        make: impl FnOnce() -> Result<T>,
    ) -> Result<Arc<T>> {
        if let Some(known) = locked(&self.made).get(name).and_then(|known| known.clone().downcast().ok()) {
            return Ok(known);
        }
        let made = Arc::new(make()?);
        locked(&self.made).insert(name.to_string(), made.clone());
        Ok(made)
    }

    /// The text of a file.
    pub fn text(&self, file: &str) -> Result<Arc<str>> {
        let mut files = locked(&self.files);
        if let Some(text) = files.get(file) {
            return Ok(text.clone());
        }
        let text: Arc<str> = text_of(Path::new(file))?.into();
        files.insert(file.to_string(), text.clone());
        Ok(text)
    }
}

/// Reads a file that is to be a small text.
fn text_of(path: &Path) -> Result<String> {
    let refuse = |why: String| Error::new(format!("cannot read {}: {why}", path.display()));
    let length = fs::metadata(path).map_err(|error| refuse(error.to_string()))?.len();
    if length > MAX_LENGTH {
        return Err(refuse(format!("{length} bytes are more than {MAX_LENGTH}")));
    }
    fs::read_to_string(path).map_err(|error| refuse(error.to_string()))
}

/// The texts and where they are from.
fn read<G: Game>(scripts: &dyn Scripts<G>, folder: Option<&str>) -> Result<(String, Texts)> {
    let name_of = |name: &str| format!("{name}.lua");
    let (common, shipped) = scripts.shipped_common();
    let Some(folder) = folder else {
        let own = |&(name, text): &(&str, &str)| (name_of(name), text.to_string());
        let common = Some((name_of(common), shipped.to_string()));
        return Ok((
            "rules".to_string(),
            Texts { common, scripts: scripts.shipped().iter().map(own).collect() },
        ));
    };
    let read = |name: &str| -> Result<(String, String)> {
        let file = name_of(name);
        let text = text_of(&Path::new(folder).join(&file)).map_err(|error| error.within("rules"))?;
        Ok((file, text))
    };
    let scripts = scripts.shipped().iter().map(|(name, _)| read(name)).collect::<Result<Vec<_>>>()?;
    let shared = Path::new(folder).join(name_of(common)).exists();
    let common = if shared { Some(read(common)?) } else { None };
    Ok((format!("rules in {folder}"), Texts { common, scripts }))
}

/// Asks every script on positions of random games; the number of questions.
fn try_out<G: Game>(
    set: &Arc<ScriptSet>,
    game: &G,
    scripts: &dyn Scripts<G>,
    positions: usize,
    seed: u64,
) -> Result<usize> {
    let mut asker = Asker::of(set.clone())?;
    let mut rng = Rng::stream(&[seed]);
    let mut state = game.initial_state(&mut rng);
    let mut asked = 0;
    let mut keys = Vec::new();
    for _ in 0..positions {
        if game.outcome(&state).is_some() {
            state = game.initial_state(&mut rng);
        }
        keys.clear();
        scripts.keys(&state, &mut keys);
        // One destination of each script is enough for a position.
        rng.shuffle(&mut keys);
        let mut done = vec![false; scripts.shipped().len()];
        for &key in &keys {
            let script = scripts.script_of(key);
            if done[script] {
                continue;
            }
            let question = scripts.question(&state, key);
            if question.settled.is_none() {
                asker.ask(question, || scripts.lists(&state, key))?;
                done[script] = true;
                asked += 1;
            }
        }
        let key = scripts.safe_key(&state, &mut rng);
        let mv = scripts.random_use(&state, key, &mut rng);
        game.play(&mut state, mv);
    }
    Ok(asked)
}

fn scripts_of<G: Game>(game: &G) -> Result<&dyn Scripts<G>> {
    game.scripts().ok_or_else(|| {
        Error::new(format!("{} has no rule scripts: its moves are not made in stages", G::INFO.name))
    })
}

/// File names and texts of the scripts that the package brings.
pub fn shipped<G: Game>(game: &G) -> Result<Vec<(String, String)>> {
    read(scripts_of(game)?, None).map(|(_, texts)| texts.all().cloned().collect())
}

/// Runs the scripts of a folder against many positions; the number of questions that they answered.
pub fn check<G: Game>(game: &G, folder: Option<&str>, positions: usize, seed: u64) -> Result<usize> {
    let scripts = scripts_of(game)?;
    let set = ScriptSet::open(game, scripts, folder)?;
    try_out(&set, game, scripts, positions, seed)
}

/// What the scripts of a folder leave of the uses of a move's key, and their worth: the one that they choose, or all
/// where the key ends the game and no script is asked.
pub fn left<G: Game>(
    game: &G,
    state: &G::State,
    mv: Move,
    files: &PlayerFiles,
    folder: Option<&str>,
) -> Result<(Vec<Move>, f32)> {
    let scripts = scripts_of(game)?;
    let key = game.slot(mv) as u32;
    let question = scripts.question(state, key);
    if let Some(worth) = question.settled {
        return Ok((question.moves, worth));
    }
    let (mv, worth) = files.asker(game, scripts, folder)?.ask(question, || scripts.lists(state, key))?;
    Ok((vec![mv], worth))
}

/// Who asks scripts in one search, by an interpreter of its own. What a script remembers is gone with it.
pub struct Asker {
    set: Arc<ScriptSet>,
    /// None once a script has failed: what it has left behind is unknown.
    interpreter: Option<Interpreter>,
}

impl Asker {
    fn of(set: Arc<ScriptSet>) -> Result<Asker> {
        let interpreter = Some(set.interpreter()?);
        Ok(Asker { set, interpreter })
    }

    /// The move of the option that the script chooses, and what it is worth. `lists` makes the lists of the
    /// position if the script has to be asked.
    pub fn ask(&mut self, question: Question, lists: impl FnOnce() -> Lists) -> Result<(Move, f32)> {
        let (file, _) = &self.set.texts.scripts[question.script];
        let mut interpreter = match self.interpreter.take() {
            Some(interpreter) => interpreter,
            None => self.set.interpreter()?,
        };
        let answer =
            interpreter.ask(&question, lists, file).map_err(|error| error.within(&self.set.place))?;
        self.interpreter = Some(interpreter);
        Ok(answer)
    }

    /// Bytes that the answers remembered take.
    pub fn bytes(&self) -> usize {
        self.interpreter.as_ref().map_or(0, |interpreter| interpreter.bytes)
    }
}

impl Drop for Asker {
    fn drop(&mut self) {
        if let Some(interpreter) = self.interpreter.take() {
            self.set.take_back(interpreter);
        }
    }
}

/// The lists of the question under way, handed over when they are read for the first time.
#[derive(Default)]
struct TurnLists {
    lists: Lists,
    /// Whether any list of this question was read.
    read: bool,
}

/// Hashes word by word: the bytes of a question are our own, not chosen to collide.
#[derive(Default)]
struct Words(u64);

impl Hasher for Words {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.0 = (self.0.rotate_left(5) ^ u64::from_le_bytes(word)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        }
    }

    fn finish(&self) -> u64 {
        mix(self.0)
    }
}

/// The texts of a set, compiled once for an interpreter.
struct Compiled {
    common: Option<Function>,
    scripts: Vec<Function>,
    /// By script: what makes its driver, with the text that it was compiled from once the names in it were known.
    drivers: Vec<Option<(String, Function)>>,
}

/// A script, and the function that puts a question to it once it has been asked.
struct Script {
    script: Function,
    driver: Option<Function>,
}

/// One Lua with the scripts of a set in it. It answers from the first [`Interpreter::clear`] on.
struct Interpreter {
    lua: Lua,
    compiled: Compiled,
    /// Makes the globals; see [`GLOBALS`].
    globals: Function,
    unpack: Function,
    scripts: Vec<Script>,
    /// What every script is given.
    turn: Table,
    lists: Arc<Mutex<TurnLists>>,
    /// The question under way without its lists: the number of the script, then what the driver unpacks.
    data: Vec<u8>,
    /// What was said to questions whose lists were not read: then the same data have the same answer, and many
    /// children of a tree ask the same.
    known: HashMap<Vec<u8>, (u32, f32), BuildHasherDefault<Words>>,
    /// What `known` takes.
    bytes: usize,
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
    fn new(texts: &Texts, options: &[(&'static str, &'static str)]) -> Result<Interpreter> {
        let in_lua = |error: mlua::Error| told("lua", &error);
        let Sandbox { lua, globals, unpack } = sandbox(options).map_err(in_lua)?;
        let compile = |(file, text): &(String, String)| -> Result<Function> {
            let chunk = lua.load(text).set_name(format!("@{file}")).set_mode(ChunkMode::Text);
            chunk.into_function().map_err(|error| told(file, &error))
        };
        let compiled = Compiled {
            common: texts.common.as_ref().map(compile).transpose()?,
            scripts: texts.scripts.iter().map(compile).collect::<Result<Vec<Function>>>()?,
            drivers: vec![None; texts.scripts.len()],
        };
        let lists = Arc::new(Mutex::new(TurnLists::default()));
        let turn = table(&lua, &lists).map_err(in_lua)?;
        let (scripts, data, known, budget) = (Vec::new(), Vec::new(), HashMap::default(), Arc::default());
        Ok(Interpreter {
            lua,
            compiled,
            globals,
            unpack,
            scripts,
            turn,
            lists,
            data,
            known,
            bytes: 0,
            budget,
        })
    }

    /// Runs the scripts from the top of their files, with new globals and new tables. Whatever they remembered was there,
    /// or in variables of the functions that the run before has made, and nothing leads there any more.
    fn clear(&mut self, texts: &Texts) -> Result<()> {
        let in_lua = |error: mlua::Error| told("lua", &error);
        self.known.clear();
        self.bytes = 0;
        *locked(&self.lists) = TurnLists::default();
        self.scripts.clear();
        let turn = self.lua.create_table().map_err(in_lua)?;
        turn.set_metatable(self.turn.metatable()).map_err(in_lua)?;
        self.turn = turn;
        // What the last call has left of its budget may be nothing.
        self.budget.store(HOOKS, Ordering::Relaxed);
        let globals: Table = self.globals.call(()).map_err(in_lua)?;
        // Instructions are counted from here.
        watch(&self.lua, &self.budget).map_err(in_lua)?;
        let run = |chunk: &Function, file: &str| -> Result<Value> {
            self.budget.store(HOOKS, Ordering::Relaxed);
            // A script may have put something else in the place of its globals.
            let ran = chunk.set_environment(globals.clone()).and_then(|_| chunk.call(()));
            ran.map_err(|error| told(file, &error))
        };
        if let (Some(chunk), Some((file, _))) = (&self.compiled.common, &texts.common) {
            run(chunk, file)?;
        }
        for (chunk, (file, text)) in self.compiled.scripts.iter().zip(&texts.scripts) {
            match run(chunk, file)? {
                Value::Function(script) => self.scripts.push(Script { script, driver: None }),
                other => {
                    let line = text.lines().count().max(1);
                    let kind = other.type_name();
                    return Err(Error::new(format!(
                        "{file}:{line}: the script must return a function, not {kind}"
                    )));
                }
            }
        }
        Ok(())
    }

    /// The function that puts questions with these names to a script.
    fn driver(&mut self, question: &Question, lists: &Lists) -> mlua::Result<Function> {
        let Script { script, driver } = &mut self.scripts[question.script];
        if let Some(driver) = driver {
            return Ok(driver.clone());
        }
        let text = DRIVER
            .replace("FACTS", &facts_written(&question.facts, lists))
            .replace("OPTION", &option_written(question.names));
        let chunk = match &self.compiled.drivers[question.script] {
            Some((known, chunk)) if *known == text => chunk.clone(),
            _ => self.lua.load(&text).set_name("@driver").into_function()?,
        };
        let made = chunk.call((&self.unpack, &*script, &self.turn))?;
        self.compiled.drivers[question.script] = Some((text, chunk));
        Ok(driver.insert(made).clone())
    }

    fn pack(&mut self, question: &Question) {
        let data = &mut self.data;
        data.clear();
        data.push(question.script as u8);
        for (_, fact) in &question.facts {
            match fact {
                Fact::Number(n) => data.extend(n.to_le_bytes()),
                Fact::Word(word) => {
                    data.push(word.len() as u8);
                    data.extend(word.bytes());
                }
            }
        }
        for n in &question.options {
            data.extend(n.to_le_bytes());
        }
    }

    /// Puts the packed question to its script.
    fn call(&mut self, question: &Question, lists: Lists) -> mlua::Result<(Value, Value)> {
        let driver = self.driver(question, &lists)?;
        *locked(&self.lists) = TurnLists { lists, read: false };
        let data = self.lua.create_string(&self.data[1..])?;
        self.budget.store(HOOKS, Ordering::Relaxed);
        driver.call((data, question.moves.len()))
    }

    fn ask(&mut self, question: &Question, lists: impl FnOnce() -> Lists, file: &str) -> Result<(Move, f32)> {
        self.pack(question);
        if let Some(&(chosen, worth)) = self.known.get(self.data.as_slice()) {
            return Ok((question.moves[chosen as usize], worth));
        }
        let answer = self.call(question, lists()).map_err(|error| told(file, &error))?;
        let count = question.moves.len();
        let chosen = answer.0.as_integer().filter(|&n| (1..=count as i64).contains(&n));
        let worth = answer.1.as_number().or_else(|| answer.1.as_integer().map(|n| n as f64));
        let (Some(chosen), Some(worth)) = (chosen, worth.filter(|worth| worth.is_finite())) else {
            let line = self.scripts[question.script].script.info().line_defined.unwrap_or(1);
            let said = |value: &Value| match value {
                Value::Integer(n) => n.to_string(),
                Value::Number(x) => x.to_string(),
                other => other.type_name().to_string(),
            };
            return Err(Error::new(format!(
                "{file}:{line}: answered {} and {}: expected an option from 1 to {count} and what it is worth",
                said(&answer.0),
                said(&answer.1),
            )));
        };
        let (chosen, worth) = (chosen as u32 - 1, worth as f32);
        if !locked(&self.lists).read && self.known.len() < REMEMBERED {
            self.bytes += self.data.len() + 2 * size_of::<(Vec<u8>, (u32, f32))>();
            self.known.insert(self.data.clone(), (chosen, worth));
        }
        Ok((question.moves[chosen as usize], worth))
    }
}

/// The lines of a driver that read the facts of a position; lists are forgotten, and come when they are read.
fn facts_written(facts: &[(&'static str, Fact)], lists: &Lists) -> String {
    let places: String = facts.iter().map(|(name, _)| format!("turn.{name}, ")).collect();
    let kind = |(_, fact): &(&str, Fact)| if let Fact::Number(_) = fact { "j" } else { "s1" };
    let format: String = facts.iter().map(kind).collect();
    let forgotten: String = lists.iter().map(|(name, _)| format!("turn.{name} = nil ")).collect();
    format!("{places}at = unpack(\"<{format}\", data, at) {forgotten}")
}

/// The line of a driver that reads an option.
fn option_written(names: &[&str]) -> String {
    let places: String = names.iter().map(|name| format!("option.{name}, ")).collect();
    format!("{places}at = unpack(\"<{}\", data, at)", "h".repeat(names.len()))
}

/// The table that scripts are given, whose lists come when they are read.
fn table(lua: &Lua, turn_lists: &Arc<Mutex<TurnLists>>) -> mlua::Result<Table> {
    let (turn, meta) = (lua.create_table()?, lua.create_table()?);
    let turn_lists = turn_lists.clone();
    let hand_over = lua.create_function(move |lua, (turn, name): (Table, Value)| {
        let mut turn_lists = locked(&turn_lists);
        let Some(wanted) = name.as_string().map(|name| name.to_string_lossy()) else { return Ok(Value::Nil) };
        let TurnLists { lists, read } = &mut *turn_lists;
        let Some((name, list)) = lists.iter().find(|(name, _)| *name == wanted) else {
            return Ok(Value::Nil);
        };
        *read = true;
        let value = Value::Table(lua.create_sequence_from(list.iter().copied())?);
        turn.raw_set(*name, &value)?;
        Ok(value)
    })?;
    meta.raw_set("__index", hand_over)?;
    turn.set_metatable(Some(meta))?;
    Ok(turn)
}

/// A Lua in which scripts can do nothing but compute.
struct Sandbox {
    lua: Lua,
    globals: Function,
    /// What reads packed numbers, which scripts do not get.
    unpack: Function,
}

/// `options` are those of the game, which scripts are shown.
fn sandbox(options: &[(&'static str, &'static str)]) -> mlua::Result<Sandbox> {
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
fn watch(lua: &Lua, budget: &Arc<AtomicUsize>) -> mlua::Result<()> {
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

#[cfg(test)]
mod tests;
