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

/** Ways that links make of one command. More are as good as all: links can lead to each other. */
const NAMES_MAX = 300
/** Linux follows no longer one. */
const LINK_CHARS_MAX = 4_095

/** The files and folders of a tree by the last step of their paths. */
export class TreePlaces {
  readonly #byLastStep = new Map<string, string[]>()
  readonly #files: ReadonlySet<string>
  readonly #texts: ReadonlyMap<string, string>

  /** @param texts of symbolic links, by their paths. */
  constructor(files: readonly string[], texts: ReadonlyMap<string, string> = new Map()) {
    this.#files = new Set(files)
    this.#texts = texts
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

  /** Entries of this name that are no folders: on the way to a file, a link. */
  links(name: string): readonly Link[] {
    const found = this.alike(name).filter((path) => this.#files.has(path) && isSame(name, path))
    return found.map((path) => ({ path, leads: leadsTo(path, this.#texts.get(path)) }))
  }
}

type Link = { readonly path: string; readonly leads: string | undefined }

function leadsTo(path: string, text: string | undefined): string | undefined {
  if (text === undefined || text.length > LINK_CHARS_MAX) return undefined
  return text.startsWith("/") ? text : `${folderOf(path)}/${text}`
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
    for (const part of [word, ...word.split(BETWEEN_NAMES)])
      for (const name of this.#namesOf(afterValue(part)))
        for (const path of this.#alike(name)) if (isSame(name, path)) this.#named.add(path)
  }

  /** @returns whether it is known what runs. */
  #run(word: string): boolean {
    const end = afterValue(word)
    if (/[*?[{]/.test(word)) return false
    if ((end === word) === end.startsWith("/")) return false // elsewhere, or a part of a step
    let isKnown = false
    for (const name of this.#namesOf(end))
      for (const file of this.#alike(name)) {
        this.scripts.add(file)
        this.#named.add(folderOf(file) || "/")
        isKnown ||= isEnd(name, file)
      }
    return isKnown
  }

  /** The name of a word, and those to which links on the way lead. */
  #namesOf(word: string): ReadonlySet<string> {
    const names = new Set<string>()
    const words = new Set([word])
    for (const one of words) {
      if (words.size > NAMES_MAX) this.addAll()
      if (this.#isAll) break
      names.add(plainName(one))
      const steps = one.split("/")
      for (let n = 1; n <= steps.length; n++) {
        const way = plainName(steps.slice(0, n).join("/"))
        for (const { path, leads } of this.#places.flatMap((places) => places.links(way))) {
          this.#named.add(path)
          if (leads !== undefined) words.add([leads, ...steps.slice(n)].join("/"))
        }
      }
    }
    return names
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
/** Whether a name that is relative to some folder may be this path. */
const isSame = (name: string, path: string): boolean => isEnd(name, path) || isEnd(path, name)
const isEnd = (end: string, path: string): boolean => `/${path}`.endsWith(`/${end}`)
const afterValue = (word: string): string => word.slice(word.lastIndexOf(VALUE) + 1)
const lastStep = (path: string): string => path.slice(path.lastIndexOf("/") + 1)
const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")))
