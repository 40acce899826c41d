/** The topics of `coppice help <topic>`, also for the man page: subjects that belong to no one command. */
import { STATE_ABOUT } from "../../kernel/tasks/rules/state-about.ts"

export type Topic = {
  readonly name: string
  readonly summary: string
  /** Lines of at most 80 columns; an indented one is a row or a command. */
  readonly lines: readonly string[]
}

const STATES = Object.entries(STATE_ABOUT).map(([name, about]) => `  ${name.padEnd(20)}${about}`)

export const TOPICS: readonly Topic[] = [
  {
    name: "states",
    summary: "The states of a task",
    lines: [
      ...STATES,
      "",
      "`coppice why <task>` says what a task waits for, and what helps.",
      "`coppice restart` starts a stuck task again; `coppice resume` continues a paused one.",
    ],
  },
  {
    name: "landing",
    summary: "How work gets onto its target",
    lines: [
      "  1. Coppice commits what the agent left uncommitted, and replays the work onto",
      "     the target. Your checkout is not touched.",
      "  2. The gate, your tests, runs on exactly the files that will be published.",
      "  3. The target moves only if it has not moved since; else the landing starts over.",
      "  4. The worktree and its branch are removed. Work that is nowhere else is saved",
      "     first.",
      "",
      "A conflict or a red gate goes back to the agent with the facts. After two such",
      "rounds the task stops as merge_failed, and its worktree stays.",
      "",
      "The mode of a task, `coppice run --land`, decides when it lands:",
      "  merge     it lands automatically (the default)",
      "  approve   you look first: `coppice diff`, then `coppice approve` or `reject`",
      "  pr        by a pull request, which the forge merges",
      "  none      it stays on its branch until `coppice land <task>`",
    ],
  },
  {
    name: "agents",
    summary: "Agents, and the tools that they may use",
    lines: [
      "An agent is Claude Code (`runtime: claude`), Codex (`codex`), a program that speaks",
      "the Agent Client Protocol (`acp`), or any command (`command`).",
      "Without coppice.yml there is one, named `claude`. An agent works in a worktree of",
      "its own, as you, with your files and your network. `containment: sandbox` hides",
      "your files from it (Linux with bubblewrap); `container: { image: … }`",
      "runs it in containers of Podman or Docker. It may use every tool unless `permissions` in",
      "coppice.yml say otherwise.",
      "",
      "Your own Claude settings, CLAUDE.md, MCP servers and hooks are not loaded; the",
      "repository's CLAUDE.md and AGENTS.md are, from the target.",
      "",
      "A command reads its prompt on standard input. It exits 0 when it is done, 75 when",
      "a person must decide (its last line says what), and anything else when it failed.",
      "`coppice agent --help` lists the commands by which an agent asks and reports.",
    ],
  },
  {
    name: "configuration",
    summary: "coppice.yml, and how to change it",
    lines: [
      "No configuration is needed. To override a default, put a coppice.yml into the",
      "repository's root:",
      "  coppice init                    write a first one, with what was detected",
      "  coppice config check            find its mistakes",
      "  coppice config explain <key>    say what a key does, and what applies now",
      "  coppice config set <key> <value>   change one key, and keep your comments",
      "  coppice config schema           print its JSON Schema for an editor",
      "  coppice trust                   approve the programs that it names",
      "",
      "A changed file applies after you have approved it with `coppice trust`.",
    ],
  },
  {
    name: "automation",
    summary: "Tasks from schedules and work sources, and messages to you",
    lines: [
      "coppice.yml has these sections; `coppice up -d` starts the daemon that serves them:",
      "  agents.<name>.schedules   tasks at certain times: `coppice status` shows the next",
      "                            starts, `coppice trigger <schedule>` creates one now",
      "  sources                   issues and files that become tasks: `coppice sources`",
      "  notify                    messages when a task needs you",
      "  agents.<name>.hooks       commands and web requests around the agent's runs",
    ],
  },
  {
    name: "exit-codes",
    summary: "The exit codes of every command",
    lines: [
      "  0    done; or the task waits for your approval",
      "  1    the task failed, or git, the network, the disk or another program did",
      "  2    the command line or the configuration has a mistake",
      "  70   a bug in Coppice",
      "",
      "`coppice land --dry-run` exits 1 if the work would conflict.",
    ],
  },
  {
    name: "environment",
    summary: "Variables that Coppice reads, and those that agents get",
    lines: [
      "Coppice reads:",
      "  COPPICE_HOME     use the home of this folder, as --home",
      "  COPPICE_STATE    the folder for the state of all homes; else XDG_STATE_HOME/coppice",
      "  COPPICE_CLAUDE   the Claude Code program to use; else `claude` on the PATH",
      "  NO_COLOR         print no colours",
      "  OTEL_…           where the daemon sends traces (docs/reference.md)",
      "",
      "The daemon keeps the variables of the shell that started it. Agents get its PATH,",
      "HOME, language, proxy and certificate variables, the folders of tools (JAVA_HOME,",
      "GOPATH, …), the keys of model providers, and `env` of their agent in coppice.yml.",
      "`coppice down && coppice up -d` switches to the variables of your shell.",
      "",
      "Agents, set-up and gate also get COPPICE_TASK, COPPICE_WORKTREE_PATH, COPPICE_PORT,",
      "COPPICE_SLUG and others of their task.",
    ],
  },
  {
    name: "json",
    summary: "Output for programs",
    lines: [
      "With --json a command prints one JSON document on standard output, and nothing",
      "else. `logs -f` and `events -f` print one document a line. Progress goes to",
      "standard error.",
      "",
      "An error is one document too, with the same exit code:",
      '  {"error": {"code": "task.not_found", "blame": "user", "message": "…", "hints": []}}',
      "Codes are stable; messages may change. Absent values are null, times are ISO 8601",
      "in UTC, and ids are strings.",
    ],
  },
]

export const findTopic = (name: string | undefined): Topic | undefined =>
  TOPICS.find((one) => one.name === name)
