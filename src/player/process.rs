//! A running program: started, spoken to line by line with time limits, and never left behind.

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use crate::types::{Error, Result};

/// Longer lines are cut: a program that babbles must not fill the memory.
const LONGEST_LINE: u64 = 1 << 16;
/// Lines that are read before they are asked for.
const LINES_AHEAD: usize = 256;
/// How long a program may take to leave once it was told to.
const FAREWELL: Duration = Duration::from_millis(300);
/// How often a waiting thread looks whether it should go on waiting.
const GLANCE: Duration = Duration::from_millis(20);

/// What waiting for a line gave.
#[derive(Debug, PartialEq)]
pub enum Heard {
    Line(String),
    /// The program has closed its output: it has ended, or will not speak again.
    End,
    TimedOut,
    /// The answer is no longer wanted.
    Stopped,
}

/// A command line in words, as a shell would split it: quotes and backslashes, nothing else.
pub fn words(command: &str) -> Result<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut letters = command.chars();
    while let Some(c) = letters.next() {
        match (quote, c) {
            (Some(end), c) if c == end => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None | Some('"'), '\\') => match letters.next() {
                Some(next) => word.get_or_insert_default().push(next),
                None => return Err(Error::new(format!("'{command}' ends in a lone backslash"))),
            },
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    if let Some(quote) = quote {
        return Err(Error::new(format!("'{command}' has an open quote {quote}")));
    }
    words.extend(word);
    Ok(words)
}

/// Refuses a program that is not there, before any game begins.
pub fn check_exists(program: &str) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let runs =
        |path: &Path| path.metadata().is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0);
    if program.contains('/') {
        return match Path::new(program) {
            path if runs(path) => Ok(()),
            path if path.exists() => Err(Error::new(format!("'{program}' is not a program"))),
            _ => Err(Error::new(format!("there is no program '{program}'"))),
        };
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    if std::env::split_paths(&path).any(|folder| runs(&folder.join(program))) {
        return Ok(());
    }
    Err(Error::new(format!("there is no program '{program}' on the PATH")))
}

/// A program with its pipes. Dropping it says `quit`, waits a moment, then ends it and whatever it started.
pub struct Process {
    child: Child,
    /// Ends the program's group if we are killed.
    guard: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    reaped: bool,
}

impl Process {
    /// `words` are the program and its arguments; its stderr is added to the file `log`.
    pub fn start(words: &[String], log: Option<&str>) -> Result<Process> {
        let errors = match log {
            None => Stdio::null(),
            Some(path) => {
                let opened = OpenOptions::new().create(true).append(true).open(path);
                let said = opened.and_then(|mut file| {
                    writeln!(file, "== {}", words.join(" "))?;
                    Ok(file)
                });
                Stdio::from(said.map_err(|e| Error::new(format!("cannot write the log '{path}': {e}")))?)
            }
        };
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(errors);
        // A group of its own: Ctrl-C is for us, and everything the program starts can be ended together.
        command.process_group(0);
        let mut child =
            command.spawn().map_err(|e| Error::new(format!("cannot start '{}': {e}", words[0])))?;
        let input = child.stdin.take();
        let guard = match guard(child.id()) {
            Ok(guard) => guard,
            Err(error) => {
                // Dropping a child neither ends nor awaits it.
                let _ = child.kill();
                let _ = child.wait();
                return Err(Error::new(format!("cannot start 'sh', the guard of '{}': {error}", words[0])));
            }
        };
        let (sender, lines) = sync_channel(LINES_AHEAD);
        if let Some(output) = child.stdout.take() {
            // It ends with the program's output, or when its lines are no longer read.
            std::thread::spawn(move || read_lines(output, &sender));
        }
        Ok(Process { child, guard, input, lines, reaped: false })
    }

    /// Says one line; false if the program does not listen any more.
    pub fn say(&mut self, line: &str) -> bool {
        let Some(input) = &mut self.input else { return false };
        input.write_all(format!("{line}\n").as_bytes()).and_then(|()| input.flush()).is_ok()
    }

    /// The next line, until a moment or until `stop` is raised.
    pub fn hear(&self, until: Instant, stop: &AtomicBool) -> Heard {
        loop {
            if stop.load(Ordering::Relaxed) {
                return Heard::Stopped;
            }
            let wait = until.saturating_duration_since(Instant::now()).min(GLANCE);
            match self.lines.recv_timeout(wait) {
                Ok(line) => return Heard::Line(line),
                Err(RecvTimeoutError::Disconnected) => return Heard::End,
                Err(RecvTimeoutError::Timeout) if Instant::now() >= until => return Heard::TimedOut,
                // What it has started may hold its output open after it has ended.
                Err(RecvTimeoutError::Timeout) if self.has_ended() => {
                    return self.lines.recv_timeout(GLANCE).map_or(Heard::End, Heard::Line);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Whether the program itself has ended; it stays to be waited for.
    fn has_ended(&self) -> bool {
        // SAFETY: all zeros is a valid siginfo_t, plain data that the call fills.
        let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
        let how = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
        // SAFETY: `info` is valid for writing during the call, which keeps no pointer to it.
        let asked = unsafe { libc::waitid(libc::P_PID, self.child.id(), &mut info, how) };
        // With WNOHANG a child that lives on leaves the signal number 0.
        asked == 0 && info.si_signo != 0
    }

    /// Ends the program and everything it started, and tells how it ended.
    pub fn end(&mut self) -> String {
        self.input = None;
        if !self.reaped
            && let Ok(group) = i32::try_from(self.child.id())
        {
            // SAFETY: kill takes no pointers. The child has not been waited for, so its number, which is
            // its group's, still belongs to it, so no other process can be hit.
            unsafe { libc::kill(-group, libc::SIGKILL) };
        }
        // The guard goes before the child is awaited: it must not live to hit a later owner of the number.
        let _ = self.guard.kill();
        let _ = self.guard.wait();
        let status = self.child.wait();
        self.reaped = true;
        match status {
            Ok(status) => match (status.code(), status.signal()) {
                (Some(code), _) => format!("exit code {code}"),
                (None, Some(libc::SIGKILL)) => "killed".to_string(),
                (None, Some(signal)) => format!("signal {signal}"),
                (None, None) => "unknown end".to_string(),
            },
            Err(error) => error.to_string(),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.reaped {
            return;
        }
        self.say("quit");
        self.input = None;
        let until = Instant::now() + FAREWELL;
        let never = AtomicBool::new(false);
        while let Heard::Line(_) = self.hear(until, &never) {}
        self.end();
    }
}

fn read_lines(output: ChildStdout, lines: &SyncSender<String>) {
    let mut output = BufReader::new(output);
    loop {
        let mut line = Vec::new();
        match (&mut output).take(LONGEST_LINE).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let text = String::from_utf8_lossy(&line);
        if lines.send(text.trim_end_matches(['\n', '\r']).to_string()).is_err() {
            return;
        }
    }
}

/// A shell that ends the process group `group` when its input ends, which it does even if we are killed.
///
/// Asking the kernel (`prctl` before `exec`) would need a `fork`, whose handlers belong to every library in the
/// process: OpenBLAS waits there for its own threads, and two forks at once wait for ever. The kernel would also
/// end the program with the thread that started it, not with the process.
fn guard(group: u32) -> std::io::Result<Child> {
    Command::new("sh")
        .args(["-c", "read -r nothing; kill -s KILL -- \"-$1\"", "coppice-guard", &group.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Process {
        Process::start(&["sh".to_string(), "-c".to_string(), script.to_string()], None).unwrap()
    }

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(20)
    }

    #[test]
    fn a_command_is_split_as_a_shell_would() {
        let split = |text: &str| words(text).unwrap();
        assert_eq!(split(r#"a "b c" d\ e 'f "g"' "" h"i"j"#), ["a", "b c", "d e", "f \"g\"", "", "hij"]);
        assert!(split("  ").is_empty());
        assert_eq!(words("a 'b").unwrap_err().to_string(), "'a 'b' has an open quote '");
        assert_eq!(words("a\\").unwrap_err().to_string(), "'a\\' ends in a lone backslash");
    }

    #[test]
    fn missing_programs_are_named() {
        let refused = |name: &str| check_exists(name).unwrap_err().to_string();
        assert_eq!(refused("no-such-program"), "there is no program 'no-such-program' on the PATH");
        assert_eq!(refused("./no/such"), "there is no program './no/such'");
        assert_eq!(refused("./Cargo.toml"), "'./Cargo.toml' is not a program");
        assert!(check_exists("sh").is_ok());
    }

    #[test]
    fn lines_are_heard_until_the_end() {
        let never = AtomicBool::new(false);
        let mut cat = shell("read x; echo \"$x\"; printf 'last'; exit 3");
        assert!(cat.say("hello"));
        assert_eq!(cat.hear(soon(), &never), Heard::Line("hello".to_string()));
        assert_eq!(cat.hear(soon(), &never), Heard::Line("last".to_string()));
        assert_eq!(cat.hear(soon(), &never), Heard::End);
        assert_eq!(cat.end(), "exit code 3");
        assert!(!cat.say("anybody?"));
    }

    #[test]
    fn waiting_ends_with_the_time_or_the_wish() {
        let silent = shell("sleep 100");
        let never = AtomicBool::new(false);
        assert_eq!(silent.hear(Instant::now() + Duration::from_millis(50), &never), Heard::TimedOut);
        assert_eq!(silent.hear(soon(), &AtomicBool::new(true)), Heard::Stopped);
    }

    #[test]
    fn a_dropped_program_is_gone_with_all_that_it_started() {
        let never = AtomicBool::new(false);
        let family = shell("trap '' TERM; sleep 100 & echo $!; wait");
        let Heard::Line(grandchild) = family.hear(soon(), &never) else { panic!("no line") };
        let child = family.child.id();
        drop(family);
        // A process that was ended may be shown as a zombie of init for a moment.
        let is_gone = |pid: &str| {
            std::fs::read_to_string(format!("/proc/{pid}/stat")).map_or(true, |stat| stat.contains(") Z "))
        };
        assert!(is_gone(&child.to_string()));
        let patience = soon();
        while !is_gone(&grandchild) {
            assert!(Instant::now() < patience, "{grandchild} lives on");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn the_guard_ends_the_program_when_we_are_gone() {
        let mut family = shell("sleep 100 & echo $!; wait");
        let never = AtomicBool::new(false);
        assert!(matches!(family.hear(soon(), &never), Heard::Line(_)));
        // What the kernel does with our pipes when we are killed.
        drop(family.guard.stdin.take());
        assert_eq!(family.hear(soon(), &never), Heard::End);
        assert_eq!(family.end(), "killed");
    }

    #[test]
    fn endless_output_is_cut_and_does_not_pile_up() {
        let babbler = shell("yes | tr -d '\\n'");
        let Heard::Line(line) = babbler.hear(soon(), &AtomicBool::new(false)) else { panic!("no line") };
        assert_eq!(line.len() as u64, LONGEST_LINE);
    }

    #[test]
    fn a_log_that_cannot_be_written_is_an_error() {
        let error = Process::start(&["true".to_string()], Some("/no/such/folder/log")).err().unwrap();
        assert!(error.to_string().starts_with("cannot write the log '/no/such/folder/log': "), "{error}");
    }
}
