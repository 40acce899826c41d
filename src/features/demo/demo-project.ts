/**
 * The demo's repository, its four tasks, and the script that plays their agent.
 *
 * `polite` and `title` change the same line of greet.sh, so the second of them to land has a conflict,
 * and gets it back. `evening` waits for a person's approval.
 */

/** The files of the first commit. They need a POSIX shell and nothing else. */
export const PROJECT_FILES: Readonly<Record<string, string>> = {
  "README.md": `# Greetings

A scratch repository of Coppice's demo. Delete it whenever you like.
`,
  "greet.sh": `# Prints a greeting for a name.
hello() {
  echo "Hello, $1"
}
`,
  "tests/hello.sh": `case "$(hello Ada)" in "Hello, Ada"*) ;; *) exit 1 ;; esac
`,
  "test.sh": `# Runs each test of the folder tests, with all functions at hand.
set -e
for file in *.sh; do [ "$file" = test.sh ] || . "./$file"; done
for test in tests/*.sh; do echo "$test"; . "./$test"; done
`,
}

export const AGENT_FILE = "agent.sh"

/** @param agent the path of the script. */
export const configOf = (agent: string): string => `version: 1
repos:
  greetings: { path: ., gate: sh test.sh }
agents:
  scripted: { runtime: command, command: [sh, ${JSON.stringify(agent)}] }
`

/** In the order in which they get their ids, which the script goes by. */
export const DEMO_TASKS = [
  { prompt: "End the greeting with an exclamation mark" },
  { prompt: "Greet people by their title" },
  { prompt: "Add a goodbye" },
  { prompt: "Add a greeting for the evening", land: "approve" },
] as const

export const AGENT = `# Plays the model of an agent: a script that knows the four tasks of the demo.
set -eu

say() { echo "$1"; sleep 1; }

titled() { # <the mark at the end>
  cat >greet.sh <<END
# Prints a greeting for a name, with its title if there is one.
hello() {
  echo "Hello, \\\${2:+\\$2 }\\$1$1"
}
END
  echo 'case "$(hello Ada Dr.)" in "Hello, Dr. Ada"*) ;; *) exit 1 ;; esac' >tests/title.sh
}

case $COPPICE_TASK in
1)
  say "I read greet.sh, and change its one line."
  cat >greet.sh <<'END'
# Prints a greeting for a name.
hello() {
  echo "Hello, $1!"
}
END
  sh test.sh
  echo "Done: the greeting is louder now."
  ;;
2)
  if [ "$COPPICE_TURN" = 1 ]; then
    say "A title comes before the name. It is optional."
    mark=; ! grep -q '!' greet.sh || mark='!'
    titled "$mark"
    sleep 5
    sh test.sh
    echo "Done: hello() takes a title."
  else
    say "Another task changed the same line. I rebase, and keep both changes."
    git rebase "$COPPICE_WORKTREE_BASE_BRANCH" || {
      titled '!'
      git add --all
      GIT_EDITOR=true git rebase --continue
    }
    sh test.sh
    echo "Resolved: a title, and the exclamation mark."
  fi
  ;;
3)
  say "A file of its own, and a test."
  echo 'goodbye() { echo "Goodbye, $1."; }' >goodbye.sh
  echo '[ "$(goodbye Ada)" = "Goodbye, Ada." ]' >tests/goodbye.sh
  sh test.sh
  git add --all
  git commit --quiet --message "greetings: a goodbye"
  echo "Done, and committed."
  ;;
4)
  say "Good evening it is."
  echo 'evening() { echo "Good evening, $1."; }' >evening.sh
  echo '[ "$(evening Ada)" = "Good evening, Ada." ]' >tests/evening.sh
  sh test.sh
  echo "Done: look at it, and approve it."
  ;;
*)
  echo "I am a script, and know only the four tasks of the demo."
  exit 75
  ;;
esac
`
