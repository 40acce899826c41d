/**
 * What a worker's shell is told: one line for each command. They run in dash, busybox and bash alike.
 *
 * `read` takes one byte at a time from a pipe, so nothing that is meant for git, or for the next
 * command, is ever read by somebody else.
 */

export type Line = {
  /** Absolute. */
  readonly cwd: string
  /** The program and its arguments. */
  readonly argv: readonly string[]
  /** What differs from the shell's own environment. */
  readonly env: Readonly<Record<string, string>>
  /** A file to read from; default: nothing. */
  readonly stdinPath?: string | undefined
  /** What to read instead, where it is short. */
  readonly stdinText?: string | undefined
}

/** Begins each line that is a command. What was meant for a git that has gone is none: then the shell ends. */
const RUN = "run "
/** Runs line by line what it is told. A line end inside of a text is `$nl`. */
export const LOOP = `nl='
'
while IFS= read -r line; do
case $line in "${RUN}"*) eval "\${line#${RUN}}";; *) exit 125;; esac
done`

export const GO = "go"
/** Git itself ends with it nowhere. */
const NO_FOLDER = 125
/** Tells its process id, waits to be told to go, then becomes git. When we die, it never does. */
const GATED = `printf 'pid %s\\n' "$$"; IFS= read -r go && [ "$go" = ${GO} ] || exit 125; input=$1; shift; exec "$@" <"$input"`
/** A line that is said while git starts; an empty one stands for nothing. */
const AWAITED = `IFS= read -r line; [ -z "$line" ] || printf '%s\\n' "$line"`
/** Tells its process id, then becomes git. */
const NAMED = `printf 'pid %s\\n' "$$"; exec "$@"`

/**
 * git with nothing, or a file, to read; the answer ends with the line `word <exit code>`.
 *
 * @param options `isGated`: it tells its process id first, and waits for {@link GO}. `isAwaited`: what git
 *   reads is the next line that the shell is told.
 */
export function commandLine(
  line: Line,
  word: string,
  { isGated, isAwaited }: { readonly isGated: boolean; readonly isAwaited: boolean },
): string {
  const { stdinText } = line
  const source = isAwaited ? AWAITED : stdinText && `printf %s ${quote(stdinText)}`
  // Git may end without reading it. Who was killed before all was said does not say that it was.
  const told = `trap '' PIPE; { ${source}; } 2>/dev/null; printf '\\n%s\\n' ${toldWord(word)} >&2`
  const input = quote(line.stdinPath ?? "/dev/null")
  const plain = withSettings(line, "")
  const fed = source ? `{ ${told}; } | ${plain}` : `${plain} <${input}`
  const git = isGated ? withSettings(line, `/bin/sh -c ${quote(GATED)} sh ${input}`) : fed
  const unread = isAwaited ? " || IFS= read -r line" : "" // or it would be the next command
  const run = `${enter(line)} && { ${git}; r=$?; }${unread}`
  return `${RUN}r=gone; ${run}; cd /; ${ends(word)}`
}

/** A line on stderr: git was told all that there was to read, unless it has ended before. */
export const toldWord = (word: string) => `told-${word}`

/**
 * git that is told line by line what to do, until we say the word. When we die, it sees the end of
 * its input. It may end before; the answer then ends all the same.
 */
export function talkLine(line: Line, word: string): string {
  const pump = `trap '' PIPE; while IFS= read -r line && [ "$line" != ${word} ]; do printf '%s\\n' "$line"; done 2>/dev/null`
  const git = withSettings(line, `/bin/sh -c ${quote(NAMED)} sh`)
  const talk = `{ ${pump}; } | { ${git}; r=$?; ${ends(word)}; }`
  return `${RUN}r=gone; if ${enter(line)}; then ${talk}; else ${ends(word)}; fi; cd /`
}

/** The shell itself becomes git, which hears all that comes behind this line. */
export function becomeLine({ cwd, argv, env }: Line): string {
  const settings = Object.entries(env).map(([name, value]) => `export ${name}=${quote(value)}`)
  const git = ["exec", ...argv.map(quote)].join(" ")
  return [`${RUN}${enter({ cwd })} || exit ${NO_FOLDER}`, ...settings, git].join("; ")
}

const enter = ({ cwd }: Pick<Line, "cwd">) => `cd -P ${quote(cwd)} 2>/dev/null`

const ends = (word: string) =>
  [1, 2].map((to) => `printf '\\n%s %s\\n' ${word} "$r" >&${to}`).join("; ")

function withSettings({ env, argv }: Line, start: string): string {
  const settings = Object.entries(env).map(([name, value]) => `${name}=${quote(value)}`)
  return [...settings, start, ...argv.map(quote)].join(" ")
}

const quote = (text: string): string =>
  `'${text.replaceAll("'", "'\\''").replaceAll("\n", `'"$nl"'`)}'`
