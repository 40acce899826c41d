/**
 * Decides which files of a tree a shell command may run. Pure.
 *
 * The rule knows the few programs that run nothing of a tree, and plain shell, which names what it runs.
 * Every other command may run any file (docs/adr/0156).
 */
import { type ShellCommand, shellCommands, VALUE } from "./shell-commands.ts"

/** Programs that run no other program, and no code of the folder they are in, whatever their arguments. */
const HARMLESS = new Set(
  `: [ afplay aplay base64 basename break canberra-gtk-play cat cd continue curl cut date dirname dunstify
  echo exit false grep head hostname jq kdialog logger mkdir mktemp notify-send paplay printf pw-play pwd
  read return rm say seq set sha256sum shift sleep spd-say tail test touch tr true umask uname uniq wait
  wall wc whoami zenity`.split(/\s+/),
)
/**
 * Any other git may run a hook, which `core.hooksPath` can put into the tree, or a driver of a diff. The `mail` of
 * GNU runs commands that its text names. No argument of these and the next is a value or a pattern: an agent may
 * choose those.
 */
const HARMLESS_GIT = /^git (?:merge-base|rev-list|rev-parse)$/
/** An option that is not listed may start a program, or read a configuration that names one. */
const HARMLESS_OPTIONS: readonly (readonly [program: RegExp, options: string])[] = [
  [/^(?:msmtp|sendmail)(?: |$)/, "-F -a -f -i -oi -t"],
  [
    /^ntfy (?:pub|publish|send)$/,
    "-T -k -m -p -q -t -u --message --priority --quiet --tag --tags --title --token --user",
  ],
  [/^terminal-notifier(?: |$)/, "-group -message -sound -subtitle -title"],
  [
    /^wget(?: |$)/,
    "-O -O- -T -nv -q -qO -qO- -t --header --method --post-data --quiet --spider --timeout --tries",
  ],
]
/** Up to the value. */
const OPTION = /^--[^=]*|^-.*/s
const CHOSEN = new RegExp(`[${VALUE}*?[]`)
const SHELLS = new Set([".", "source", "sh", "bash", "dash"])
/** Such as in `--config=name` and `-Kname`. */
const BETWEEN_NAMES = /[=:,@]|^-\w/
const SYSTEM = /^\/(?:usr\/)?s?bin\//
const SHELL_OPTION = /^-[eux]+$/
const SHEBANG = /^#!(?! ?(?:\/usr)?\/bin\/(?:env )?(?:ba|da)?sh(?: -[eux]+)?\n)/
/** Read by people. Agents and builds read other texts: CLAUDE.md, requirements.txt. */
const DOCUMENT =
  /(?:^|\/)(?:README|CHANGELOG|CONTRIBUTING)\.md$|^docs\/.*\.md$|\.(?:png|jpe?g|gif|webp)$/

/** The files and folders of a tree by the last step of their paths. */
export class TreePlaces {
  readonly #byLastStep = new Map<string, string[]>()

  constructor(files: readonly string[]) {
    const folders = new Set<string>()
    for (const file of files) {
      this.#add(file)
      for (let one = folderOf(file); one !== "" && !folders.has(one); one = folderOf(one)) {
        folders.add(one)
        this.#add(one)
      }
    }
  }

  #add(path: string): void {
    const known = this.#byLastStep.get(lastStep(path))
    if (known) known.push(path)
    else this.#byLastStep.set(lastStep(path), [path])
  }

  /** All of this last step: a command may change its folder, and a folder may be a link. */
  alike(name: string): readonly string[] {
    return this.#byLastStep.get(lastStep(name)) ?? []
  }
}

export class Reach {
  /** Shell scripts that run: the caller follows each. */
  readonly scripts = new Set<string>()
  readonly #places: readonly TreePlaces[]
  readonly #named = new Set<string>()
  #isAll = false

  constructor(places: readonly TreePlaces[]) {
    this.#places = places
  }

  get isAll(): boolean {
    return this.#isAll
  }

  addAll(): void {
    this.#isAll = true
  }

  /** @param text of a command, or of a script. */
  follow(text: string): void {
    const commands = SHEBANG.test(text) ? undefined : shellCommands(text)
    if (!commands?.every((command) => this.#isFollowed(command))) this.addAll()
  }

  has(file: string): boolean {
    if (this.#isAll && !DOCUMENT.test(file)) return true
    if (this.#named.has(file) || this.#named.has(`${folderOf(file)}/`)) return true
    for (let one = folderOf(file); one !== ""; one = folderOf(one))
      if (this.#named.has(one)) return true
    return false
  }

  #isFollowed({ words, files }: ShellCommand): boolean {
    for (const word of [...words, ...files]) this.#addNamed(word)
    const [program, ...rest] = words
    if (program === undefined) return true
    const name = program.replace(SYSTEM, "")
    if (HARMLESS.has(name) || isHarmless([name, ...rest])) return true
    if (!SHELLS.has(name)) return program.includes("/") && this.#run(program)
    const script = rest.find((word) => !SHELL_OPTION.test(word))
    return script !== undefined && this.#run(script)
  }

  #addNamed(word: string): void {
    for (const part of [word, ...word.split(BETWEEN_NAMES)]) {
      const name = plainName(afterValue(part))
      for (const path of this.#alike(name))
        if (isEnd(name, path) || isEnd(path, name)) this.#named.add(path)
    }
  }

  /** @returns whether it is known what runs. */
  #run(word: string): boolean {
    const end = afterValue(word)
    if (/[*?[{]/.test(word)) return false
    if ((end === word) === end.startsWith("/")) return false // elsewhere, or a part of a step
    const name = plainName(end)
    const alike = this.#alike(name)
    for (const file of alike) {
      this.scripts.add(file)
      this.#named.add(folderOf(file) || "/")
    }
    return alike.some((file) => isEnd(name, file))
  }

  #alike(name: string): readonly string[] {
    return this.#places.flatMap((places) => places.alike(name))
  }
}

function isHarmless(words: readonly string[]): boolean {
  const start = words.slice(0, 2).join(" ")
  if (words.some((word) => CHOSEN.test(word))) return false
  if (HARMLESS_GIT.test(start)) return true
  const known = HARMLESS_OPTIONS.find(([program]) => program.test(start))?.[1].split(" ")
  return (
    known !== undefined &&
    words.flatMap((word) => OPTION.exec(word) ?? []).every((one) => known.includes(one))
  )
}

/** Without `.`, `..` and slashes at the ends. */
function plainName(word: string): string {
  const steps: string[] = []
  for (const step of word.split("/"))
    if (step === "..") steps.pop()
    else if (step !== "" && step !== ".") steps.push(step)
  return steps.join("/")
}
const isEnd = (end: string, path: string): boolean => `/${path}`.endsWith(`/${end}`)
const afterValue = (word: string): string => word.slice(word.lastIndexOf(VALUE) + 1)
const lastStep = (path: string): string => path.slice(path.lastIndexOf("/") + 1)
const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")))
