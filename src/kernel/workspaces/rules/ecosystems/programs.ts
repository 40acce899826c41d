/** Which programs a command line needs, and which one a shell did not find. Pure. */

/** Words of the shell itself, which no file on the PATH has to provide. */
const OF_THE_SHELL: ReadonlySet<string> = new Set([
  ...[
    ".",
    ":",
    "[",
    "!",
    "{",
    "}",
    "(",
    ")",
    "alias",
    "break",
    "case",
    "cd",
    "command",
    "continue",
  ],
  ...[
    "do",
    "done",
    "echo",
    "elif",
    "else",
    "esac",
    "eval",
    "exec",
    "exit",
    "export",
    "false",
    "fi",
  ],
  ...["for", "function", "if", "in", "local", "printf", "pwd", "read", "readonly", "return", "set"],
  ...[
    "shift",
    "source",
    "test",
    "then",
    "time",
    "trap",
    "true",
    "type",
    "ulimit",
    "umask",
    "unset",
  ],
  ...["until", "wait", "while"],
])
const ASSIGNMENT = /^\w+=/
/** A name that the shell takes as it is: no variable, quote, pattern or path. */
const PLAIN_NAME = /^[\w.+-]+$/

/**
 * The programs that the simple commands of a line start, as far as the line says it. A path is left
 * out, since the line itself may make it: `.venv/bin/python`.
 */
export function programsOf(command: string): string[] {
  if (/[\n"'`\\]|\$\(|<</.test(command.replaceAll(/'[^'\n]*'/g, "_"))) return []
  const parts = command.replaceAll(/'[^'\n]*'/g, "_").split(/&&|\|\||[;|&]/)
  const first = parts.map((part) =>
    part
      .trim()
      .split(/\s+/)
      .find((word) => !ASSIGNMENT.test(word)),
  )
  const names = first.filter((word) => word !== undefined && PLAIN_NAME.test(word))
  return [...new Set(names as string[])].filter((name) => !OF_THE_SHELL.has(name))
}

/** Exit codes by which a shell says that a command could not start. */
export const UNSTARTABLE_EXIT_CODES: readonly number[] = [126, 127]

/** The ways in which shells, `env` and npm say it, each with the program. */
const NOT_FOUND: readonly RegExp[] = [
  /(?:^|: )([^\s:]+): (?:command )?not found$/,
  /(?:^|: )([^\s:]+): (?:cannot execute: )?(?:No such file or directory|Permission denied|not found)$/i,
]

/** The program that could not start, by the last line of the output that names one. */
export function findUnstartable(output: string): string | undefined {
  const lines = output.trimEnd().split("\n").reverse()
  for (const line of lines)
    for (const pattern of NOT_FOUND) {
      const [, program] = pattern.exec(line.trim()) ?? []
      if (program) return program.replaceAll(/[‘’'"]/g, "")
    }
  return undefined
}

/** Continues "the command exited with 127: ". */
export function describeUnstartable(program: string | undefined, exitCode: number): string {
  const verb = exitCode === 126 ? "cannot be executed" : "was not found"
  return program ? `the program \`${program}\` ${verb}` : `a program ${verb}`
}

/** The hint: install the program, or put another command into the setting. */
export function installOrSet(setting: string, program: string | undefined): string {
  const install = program ? `Install \`${program}\`` : "Install what it needs"
  return `${install}, or set \`${setting}\` in coppice.yml to another command.`
}
