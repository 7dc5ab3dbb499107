//! One Lua with the scripts of a set in it: it is asked questions, remembers answers, and can be cleared for the next search.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use mlua::chunk::ChunkMode;
use mlua::{Function, Lua, Table, Value};

use super::sandbox::{HOOKS, Sandbox, sandbox, watch};
use super::{Texts, locked};
use crate::game::{Fact, Lists, Question};
use crate::types::{Error, Move, Result, mix};

/// Answers that an asker remembers at most.
const REMEMBERED: usize = 1 << 15;

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
pub struct Interpreter {
    lua: Lua,
    compiled: Compiled,
    /// Makes the globals.
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
    pub bytes: usize,
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
    pub fn new(texts: &Texts, options: &[(&'static str, &'static str)]) -> Result<Interpreter> {
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
    pub fn clear(&mut self, texts: &Texts) -> Result<()> {
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

    /// Bytes that it uses.
    pub fn memory(&self) -> usize {
        self.lua.used_memory()
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

    pub fn ask(
        &mut self,
        question: &Question,
        lists: impl FnOnce() -> Lists,
        file: &str,
    ) -> Result<(Move, f32)> {
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
