//! The player `gtp`: another program that decides, spoken to by the Go Text Protocol.
//!
//! A program that crashes, falls silent, or answers what is no legal move loses the game: the decision is a
//! forfeit, whose reason the record keeps. The next decision starts the program anew.

use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::process::{Heard, Process, check_exists, words};
use super::{Player, Request};
use crate::game::{Game, Variant};
use crate::search::Report;
use crate::spec::{OptionInfo, Options, PartInfo};
use crate::types::{Error, Move, Result, Rng, Side};

pub const INFO: PartInfo = PartInfo {
    name: "gtp",
    options: &[
        OptionInfo::text("command", "none", "the program and its arguments, as for a shell").or_none(),
        OptionInfo::real("timeout", 0.01, 1e6, "60", "seconds for each answer; a later one loses"),
        OptionInfo::real("clock", 0.01, 1e6, "none", "seconds for the whole game, of which it is told")
            .or_none(),
        OptionInfo::text("setup", "none", "commands after the start, separated by semicolons").or_none(),
        OptionInfo::text("notation", "\"standard\"", "how the program writes moves"),
        OptionInfo::text("log", "\"coppice-gtp.log\"", "the file that keeps its stderr").or_none(),
    ],
    positional: Some("command"),
    doc: "Another program that speaks GTP",
};

/// Answers are short; a longer one is an error.
const LONGEST_ANSWER: usize = 1 << 20;

pub fn build<G: Game>(options: &Options, _variant: &Arc<Variant<G>>) -> Result<Box<dyn Player<G>>> {
    Ok(Box::new(Gtp::new(options)?))
}

struct Gtp<G: Game> {
    words: Vec<String>,
    timeout: Duration,
    clock: Option<f64>,
    setup: Vec<String>,
    notation: String,
    log: Option<String>,
    running: Option<Running>,
    game: PhantomData<fn() -> G>,
}

/// The program and what it knows.
struct Running {
    process: Process,
    /// The moves of the game that it has on its board.
    moves: Vec<Move>,
    /// Seconds left on its clock.
    left: Option<f64>,
}

/// What a question came to.
enum Answer {
    Said(String),
    Refused(String),
}

impl<G: Game> Gtp<G> {
    /// `options` are resolved.
    fn new(options: &Options) -> Result<Gtp<G>> {
        let within = |e: Error| e.within("gtp: command");
        let Some(command) = options.text_or_none("command") else {
            return Err(Error::new("gtp needs a program: gtp(command=\"castro --mode gtp\")"));
        };
        let words = words(command).map_err(within)?;
        let Some(program) = words.first() else {
            return Err(Error::new("gtp: command is empty: name a program and its arguments"));
        };
        check_exists(program).map_err(within)?;
        if G::HIDDEN {
            return Err(Error::new(format!(
                "gtp has no words for hidden information: it cannot play {}",
                G::INFO.name
            )));
        }
        let notation = options.text("notation").to_string();
        if !G::NOTATIONS.contains(&notation.as_str()) {
            return Err(Error::new(format!(
                "gtp: unknown notation '{notation}' for {}: {}",
                G::INFO.name,
                G::NOTATIONS.join(", ")
            )));
        }
        let setup = options.text_or_none("setup").unwrap_or_default().split(';');
        Ok(Gtp {
            words,
            timeout: Duration::from_secs_f64(options.real("timeout").into()),
            clock: options.real_or_none("clock"),
            setup: setup.map(|line| line.trim().to_string()).filter(|line| !line.is_empty()).collect(),
            notation,
            log: options.text_or_none("log").map(str::to_string),
            running: None,
            game: PhantomData,
        })
    }

    /// A program with an empty board.
    fn start(&self, variant: &Variant<G>, stop: &AtomicBool) -> Result<Running> {
        let process = Process::start(&self.words, self.log.as_deref())?;
        let mut running = Running { process, moves: Vec::new(), left: self.clock };
        if let Some(size) = variant.game.board().size()
            && let Answer::Refused(reason) =
                running.ask(&format!("boardsize {size}"), self.timeout, stop)?
            // A game of one size needs no such command.
            && !reason.to_lowercase().contains("unknown command")
        {
            return Err(Error::forfeit(format!("refused 'boardsize {size}': {reason}")));
        }
        for line in &self.setup {
            running.demand(line, self.timeout, stop)?;
        }
        self.clear(&mut running, stop)?;
        Ok(running)
    }

    fn clear(&self, running: &mut Running, stop: &AtomicBool) -> Result<()> {
        running.demand("clear_board", self.timeout, stop)?;
        if let Some(seconds) = self.clock {
            running.demand(&format!("time_settings {seconds} 0 0"), self.timeout, stop)?;
        }
        running.moves.clear();
        running.left = self.clock;
        Ok(())
    }

    /// Brings the program's board to the state of the request.
    fn follow(&self, running: &mut Running, request: &Request<G>) -> Result<()> {
        if !request.moves.starts_with(&running.moves) {
            self.clear(running, request.stop)?;
        }
        let game = &request.variant.game;
        // A game without hidden information deals nothing: any stream gives its start.
        let mut state = game.initial_state(&mut Rng::stream(&[0]));
        for (at, &mv) in request.moves.iter().enumerate() {
            if at >= running.moves.len() {
                let colour = colour::<G>(game.side_to_move(&state));
                let name = game.move_name_in(&state, mv, &self.notation);
                running.demand(&format!("play {colour} {name}"), self.timeout, request.stop)?;
            }
            game.play(&mut state, mv);
        }
        if game.key(&state) != game.key(request.state) {
            return Err(Error::new("gtp programs play from the initial position only"));
        }
        running.moves = request.moves.to_vec();
        Ok(())
    }

    fn decide(&self, running: &mut Running, request: &Request<G>) -> Result<Move> {
        self.follow(running, request)?;
        let game = &request.variant.game;
        let colour = colour::<G>(game.side_to_move(request.state));
        let mut patience = self.timeout;
        if let Some(left) = running.left {
            running.demand(&format!("time_left {colour} {left:.2} 0"), self.timeout, request.stop)?;
            patience = patience.min(Duration::from_secs_f64(left));
        }
        let started = Instant::now();
        let answer = running.demand(&format!("genmove {colour}"), patience, request.stop)?;
        if let Some(left) = &mut running.left {
            *left = (*left - started.elapsed().as_secs_f64()).max(0.0);
        }
        if answer.eq_ignore_ascii_case("resign") {
            return Err(Error::forfeit("resigned"));
        }
        let mv = game.parse_move_in(request.state, &answer, &self.notation);
        let mv = mv.map_err(|_| Error::forfeit(format!("chose the illegal move '{}'", shown(&answer))))?;
        running.moves.push(mv);
        Ok(mv)
    }
}

impl Running {
    /// Says a line and waits for the whole answer.
    fn ask(&mut self, line: &str, patience: Duration, stop: &AtomicBool) -> Result<Answer> {
        let until = Instant::now() + patience;
        // A program that has closed its input has closed its output as well: hear how it ended.
        self.process.say(line);
        let mut lines: Vec<String> = Vec::new();
        let mut length = 0;
        // Banners and complaints before the answer are no part of it.
        let mut noise = String::new();
        loop {
            match self.process.hear(until, stop) {
                Heard::Line(text) => {
                    length += text.len();
                    if length > LONGEST_ANSWER {
                        return Err(Error::forfeit(format!("did not come to an end in answer to '{line}'")));
                    }
                    let begins = text.starts_with(['=', '?']);
                    if lines.is_empty() && !begins {
                        noise = if noise.is_empty() { text } else { noise };
                    } else if text.trim().is_empty() {
                        return Ok(answer(&lines));
                    } else {
                        lines.push(text);
                    }
                }
                Heard::End => {
                    return Err(Error::forfeit(format!(
                        "crashed ({}) in answer to '{line}'",
                        self.process.end()
                    )));
                }
                Heard::TimedOut => {
                    let said = if noise.trim().is_empty() {
                        String::new()
                    } else {
                        format!(" (it said '{}')", shown(&noise))
                    };
                    return Err(Error::forfeit(format!(
                        "ran out of time: no answer to '{line}' in {} s{said}",
                        patience.as_secs_f64()
                    )));
                }
                Heard::Stopped => return Err(Error::forfeit("stopped")),
            }
        }
    }

    /// The same where a refusal ends the game.
    fn demand(&mut self, line: &str, patience: Duration, stop: &AtomicBool) -> Result<String> {
        match self.ask(line, patience, stop)? {
            Answer::Said(text) => Ok(text),
            Answer::Refused(reason) => Err(Error::forfeit(format!("refused '{line}': {reason}"))),
        }
    }
}

/// The text of an answer without its mark and its id.
fn answer(lines: &[String]) -> Answer {
    let whole = lines.join(" ");
    let text = whole[1..].trim_start_matches(|c: char| c.is_ascii_digit()).trim().to_string();
    if whole.starts_with('=') { Answer::Said(text) } else { Answer::Refused(shown(&text)) }
}

/// A program's words in a message: one line, not too long.
fn shown(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let line: String = line.chars().filter(|c| !c.is_control()).collect();
    if line.chars().count() > 100 { line.chars().take(100).chain("...".chars()).collect() } else { line }
}

/// What GTP calls a side: its own colour where it has one, else white moves first.
fn colour<G: Game>(side: Side) -> &'static str {
    let black_first = G::SIDES[0].eq_ignore_ascii_case("black");
    if (side == Side::First) == black_first { "black" } else { "white" }
}

impl<G: Game> Player<G> for Gtp<G> {
    fn again(&self) -> Box<dyn Player<G>> {
        Box::new(Gtp {
            words: self.words.clone(),
            setup: self.setup.clone(),
            notation: self.notation.clone(),
            log: self.log.clone(),
            running: None,
            ..*self
        })
    }

    /// The program has its own budget: a limit of the request is not for it.
    fn choose(&mut self, request: &Request<G>) -> Result<Report> {
        let started = Instant::now();
        let mut running = match self.running.take() {
            Some(running) => running,
            None => self.start(request.variant, request.stop)?,
        };
        // After a failure the program is dropped here, and started anew when it is needed again.
        let best = self.decide(&mut running, request)?;
        self.running = Some(running);
        Ok(Report {
            notes: Vec::new(),
            best,
            moves: Vec::new(),
            line: vec![best],
            simulations: 0,
            states: 0,
            seconds: started.elapsed().as_secs_f64(),
            nodes: 0,
            bytes: 0,
            full_at: None,
        })
    }
}
