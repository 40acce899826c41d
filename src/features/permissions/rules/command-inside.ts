/** Finds the commands that a program runs because its arguments say so, as `sudo rm x` does. Pure. */

/** The words of a command, or a script. */
export type Inside = readonly string[] | string

type Runner = {
  /** The short options that have a value of their own, as letters; and the long ones. */
  readonly letters?: string
  readonly long?: readonly string[]
  /** How many arguments come before the command. */
  readonly before?: number
}

const VARIABLE = /^[A-Za-z_]\w*=/
const SHELL = /^(ba|z|da|k|a|mk)?sh$/
const FIND_RUNS = /^-(exec|ok)(dir)?$/

/** A command of `find` has fewer. */
const WORDS_MAX = 1_000

/** Programs whose last arguments are a command. */
const RUNNERS: Readonly<Record<string, Runner>> = {
  builtin: {},
  busybox: {},
  chroot: { before: 1 },
  command: {},
  doas: { letters: "uC" },
  env: { letters: "uCS", long: ["unset", "chdir", "split-string"] },
  exec: { letters: "a" },
  flock: { letters: "wE", long: ["timeout", "conflict-exit-code"], before: 1 },
  ionice: { letters: "cn", long: ["class", "classdata"] },
  nice: { letters: "n", long: ["adjustment"] },
  nohup: {},
  pkexec: { long: ["user"] },
  setsid: {},
  strace: { letters: "abeIoOpPsSuUX" },
  stdbuf: { letters: "ioe", long: ["input", "output", "error"] },
  sudo: {
    letters: "ugpCTDRrthU",
    long: ["user", "group", "prompt", "close-from", "chdir", "chroot", "role", "type", "host"],
  },
  time: { letters: "fo", long: ["format", "output"] },
  unshare: {},
  timeout: { letters: "ks", long: ["kill-after", "signal"], before: 1 },
  xargs: {
    letters: "aEdILnPs",
    long: ["arg-file", "delimiter", "max-lines", "max-args", "max-procs", "max-chars"],
  },
}

export function commandInside(words: readonly string[]): readonly Inside[] {
  const name = words[0]?.split("/").at(-1) ?? ""
  if (SHELL.test(name)) return scriptOf(words)
  if (name === "eval" || name === "watch")
    return [withoutOptions(words.slice(1), { letters: "n" }).join(" ")]
  if (name === "su" || name === "script") return scriptAfter("-c", words)
  if (name === "trap") return words.slice(1, 2)
  if (name === "find") return runByFind(words)
  const runner = Object.hasOwn(RUNNERS, name) ? RUNNERS[name] : undefined
  if (!runner || (name === "command" && /^-[vV]/.test(words[1] ?? ""))) return []
  const rest = withoutOptions(words.slice(1), runner)
  const command = rest.slice(rest.findIndex((word) => !VARIABLE.test(word)) + (runner.before ?? 0))
  const split = name === "env" ? splitString(words) : []
  return rest.some((word) => !VARIABLE.test(word)) && command.length > 0
    ? [...split, command]
    : split
}

function withoutOptions(words: readonly string[], { letters = "", long = [] }: Runner) {
  let at = 0
  for (let word = words[at]; word?.startsWith("-") && word !== "-"; word = words[at]) {
    at++
    if (word === "--") break
    const hasValue = word.startsWith("--")
      ? long.includes(word.slice(2))
      : letters.includes(word.at(-1) ?? "") &&
        ![...word.slice(1, -1)].some((one) => letters.includes(one))
    if (hasValue) at++
  }
  return words.slice(at)
}

/** `env -S 'rm x'` splits its value into words. */
function splitString(words: readonly string[]): readonly string[] {
  return words.flatMap((word, at) => {
    if (/^(-S|--split-string)$/.test(word)) return words.slice(at + 1, at + 2)
    return /^(-S|--split-string=)(.+)$/s.exec(word)?.[2] ?? []
  })
}

const scriptAfter = (option: string, words: readonly string[]): readonly string[] =>
  words.includes(option) ? words.slice(words.indexOf(option) + 1).slice(0, 1) : []

/** The script of `bash -lc '…'`. */
function scriptOf(words: readonly string[]): readonly string[] {
  let hasScript = false
  for (let at = 1; at < words.length; at++) {
    const word = words[at] ?? ""
    if (!/^[-+]/.test(word)) return hasScript ? [word] : []
    if (/^-[^-]*c/.test(word)) hasScript = true
    if (/^[-+][^-]*[oO]$|^--(rcfile|init-file)$/.test(word)) at++
  }
  return []
}

function runByFind(words: readonly string[]): readonly (readonly string[])[] {
  return words.flatMap((word, at) => {
    if (!FIND_RUNS.test(word)) return []
    const rest = words.slice(at + 1, at + 1 + WORDS_MAX)
    const end = rest.findIndex((other) => /^[;+]$/.test(other) || FIND_RUNS.test(other))
    return [end < 0 ? rest : rest.slice(0, end)]
  })
}
