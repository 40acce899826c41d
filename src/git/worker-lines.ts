/**
 * The lines that a worker's shell reads: one for each command. They run in dash, busybox and bash alike.
 *
 * A line that is no command ends the shell.
 */

export type Line = {
  /** Absolute. */
  readonly cwd: string
  /** Of git. */
  readonly args: readonly string[]
  /** What differs from the shell's own environment. */
  readonly env: Readonly<Record<string, string>>
  /** A file to read from; default: nothing. */
  readonly stdinPath?: string | undefined
}

const RUN = "run "
/** Runs line by line what it reads. A line end inside of a text is `$nl`. */
export const LOOP = `nl='
'
while IFS= read -r line; do
case $line in "${RUN}"*) eval "\${line#${RUN}}";; *) exit 125;; esac
done`

/**
 * Runs git. On stdout and stderr the last line is `word <exit code>`, or `word gone` where the folder
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
