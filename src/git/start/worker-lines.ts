/**
 * Writes the lines that a worker's shell reads, one per command, for dash, busybox and bash.
 *
 * The shell ends when it reads any other line.
 */

export type Line = {
  /** Absolute. */
  readonly cwd: string
  /** Of git. */
  readonly args: readonly string[]
  /** The variables that differ from the shell's own. */
  readonly env: Readonly<Record<string, string>>
  /** A file to read from; default: nothing. */
  readonly stdinPath?: string | undefined
}

const RUN = "run "
/** Runs each line that it reads. `$nl` is a line break inside an argument. */
export const LOOP = `nl='
'
while IFS= read -r line; do
case $line in "${RUN}"*) eval "\${line#${RUN}}";; *) exit 125;; esac
done`

/**
 * Runs git. The last line on stdout and stderr is `word <exit code>`, or `word gone` if the folder
 * cannot be entered.
 */
export function commandLine(
  { cwd, args, env, stdinPath = "/dev/null" }: Line,
  word: string,
): string {
  const settings = Object.entries(env).map(([name, value]) => `${name}=${quote(value)}`)
  const git = [...settings, "git", ...args.map(quote)].join(" ")
  const run = `cd -P ${quote(cwd)} 2>/dev/null && { ${git} <${quote(stdinPath)}; r=$?; }`
  const ends = [1, 2].map((to) => `printf '\\n%s %s\\n' ${word} "$r" >&${to}`).join("; ")
  return `${RUN}r=gone; ${run}; cd /; ${ends}`
}

const quote = (text: string): string =>
  `'${text.replaceAll("'", "'\\''").replaceAll("\n", `'"$nl"'`)}'`
