//! Rule scripts: small programs in Lua that choose how a move is completed, shut off from everything else.
//!
//! A script is a text that returns a function. The function is given a table of facts (`turn`) and returns
//! the number of an option and what it is worth, in 0..1. The table `game` holds the options of the game. It sees no
//! files, no clock, no chance and no addresses; `pairs` goes through a table in the order of its keys; instructions and memory are bounded.

mod interpreter;
mod sandbox;
mod spare;

use std::any::Any;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use crate::game::{Game, Lists, Question, Scripts};
use crate::spec::OptionInfo;
use crate::types::{Error, Move, Result, Rng};
use interpreter::Interpreter;
use spare::Spare;

/// Longer texts are no rules, nor anything else that a player reads.
const MAX_LENGTH: u64 = 1 << 20;
/// Positions on which the scripts of a player are tried before it plays.
const TRIAL: usize = 40;

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
    spare: Spare,
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
        let set = Arc::new(ScriptSet { place, texts, options, spare: Spare::default() });
        try_out(&set, game, scripts, TRIAL, 1)?;
        locked(known).insert(key, set.clone());
        Ok(set)
    }

    /// An interpreter that knows nothing of what was asked before. To make one takes ten times as long as to clear a
    /// spare one.
    fn interpreter(&self) -> Result<Interpreter> {
        let made = self.spare.take().map_or_else(|| Interpreter::new(&self.texts, &self.options), Ok);
        let cleared = made.and_then(|mut interpreter| {
            interpreter.clear(&self.texts)?;
            Ok(interpreter)
        });
        cleared.map_err(|error| error.within(&self.place))
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
            self.set.spare.take_back(interpreter);
        }
    }
}

#[cfg(test)]
mod tests;
