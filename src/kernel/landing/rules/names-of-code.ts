/**
 * Finds the files of a tree that a shell command, or a script, names. Pure.
 *
 * The rule prefers a name too many: a person who approves a change too often loses a minute. A command
 * may change folders or put paths together, so its names count in every folder.
 */
import { gateDependence } from "./gate-files.ts"

/** Stems of files that stand for their folder, in `import` and `require`. */
const MAIN = ["index", "__init__", "__main__", "mod"]
const VARIABLE = /\$\{?\w+\}?|\\/g
const BETWEEN_WORDS = /[\s;&|()<>"'`=$:,{}[\]#!]+/

type Alias = { readonly path: string; readonly name: string }

export class NamedFiles {
  /** A tree has far fewer folders than files. */
  readonly #byFolder: ReadonlyMap<string, readonly string[]>
  readonly #byLastStep = new Map<string, Alias[]>()

  constructor(paths: readonly string[]) {
    this.#byFolder = Map.groupBy(paths, folderAround)
    for (const path of paths)
      for (const name of aliasesOf(path)) {
        const last = lastStep(name)
        const known = this.#byLastStep.get(last)
        if (known) known.push({ path, name })
        else this.#byLastStep.set(last, [{ path, name }])
      }
  }

  /** @param folder of the script; undefined: the text is a command, whose words may be folders too. */
  find(text: string, folder?: string): ReadonlySet<string> {
    const { anywhere, scripts } = gateDependence(text)
    const manifest = scripts.length > 0 ? ["package.json"] : []
    const words = text.replace(VARIABLE, "").split(BETWEEN_WORDS)
    const found = new Set<string>()
    for (const word of new Set([...words, ...anywhere, ...manifest]))
      for (const path of this.#ofWord(word, folder)) found.add(path)
    return found
  }

  #ofWord(word: string, folder: string | undefined): readonly string[] {
    const [name = "", ...wild] = simplified(word).split(/[*?]/)
    if (wild.length > 0) return this.#below(name.replace(/[^/]*$/, ""), folder)
    if (name === "") return []
    const below = folder === undefined ? this.#below(`${name}/`, folder) : []
    return [...below, ...this.#called(name, folder), ...this.#called(moduleOf(name), folder)]
  }

  /** Without a name of a folder: the script's own. */
  #below(inside: string, folder = ""): readonly string[] {
    if (inside === "") return this.#byFolder.get(folder) ?? []
    const folders = [...this.#byFolder.keys()].filter((one) => `/${one}/`.includes(`/${inside}`))
    return folders.flatMap((one) => this.#byFolder.get(one) ?? [])
  }

  #called(word: string, folder: string | undefined): readonly string[] {
    const isBare = folder !== undefined && !/[./]/.test(word)
    return (this.#byLastStep.get(lastStep(word)) ?? [])
      .filter(({ name }) => `/${name}`.endsWith(`/${word}`) || word.endsWith(`/${name}`))
      .filter(({ path, name }) => !isBare || name === word || folderAround(path) === folder)
      .map(({ path }) => path)
  }
}

/** The ways to name a file: with its extension or without, and by its folder. */
function aliasesOf(path: string): readonly string[] {
  const name = path.split("node_modules/").at(-1) ?? path
  const stem = name.replace(/\.[^./]+$/, "")
  const names = new Set([name, stem])
  if (MAIN.includes(lastStep(stem)) || lastStep(name) === "package.json")
    names.add(folderAround(stem))
  return [...names]
}

/** Without steps that lead nowhere, or up. */
function simplified(word: string): string {
  const steps: string[] = []
  for (const step of word.split("/"))
    if (step === "..") steps.pop()
    else if (step !== "" && step !== ".") steps.push(step)
  return steps.join("/")
}

/** `python -m tools.done` */
const moduleOf = (word: string): string => (word.includes("/") ? word : word.replaceAll(".", "/"))
const lastStep = (path: string): string => path.slice(path.lastIndexOf("/") + 1)
export const folderAround = (path: string): string =>
  path.slice(0, Math.max(0, path.lastIndexOf("/")))
