/**
 * Lays the configuration files of a home over each other: the user's, coppice.yml, the local one.
 *
 * Sections are merged key by key, at every depth; any other value is replaced as a whole. The keys of
 * coppice.yml come first: so its first agent stays the one that takes tasks which name none.
 */
import { stringify } from "yaml"
import { isSection, readYaml } from "../base/text/yaml.ts"

/** The texts of the files, null without one. `local` wins over `main`, and `main` over `user`. */
export type LayerTexts = {
  readonly user: string | null
  readonly main: string | null
  readonly local: string | null
}
export type LayerName = keyof LayerTexts

export type Laid =
  | { readonly kind: "ok"; readonly text: string | null }
  | { readonly kind: "invalid"; readonly layer: LayerName; readonly messages: readonly string[] }

/** One text with the meaning of all. That of coppice.yml stays as it is where there is no other file. */
export function layConfig({ user, main, local }: LayerTexts): Laid {
  if (user === null && local === null) return { kind: "ok", text: main }
  let value: unknown = main === null ? { version: 1 } : {} // the two others may leave it out
  for (const [layer, text] of Object.entries({ main, local, user }) as [LayerName, string][]) {
    if (text === null) continue
    const read = readYaml(text)
    if (read.kind === "invalid") return { ...read, layer }
    const section = read.value ?? {}
    if (!isSection(section))
      return { kind: "invalid", layer, messages: ["is not a section with keys"] }
    value = layer === "user" ? merge(value, section, "base") : merge(value, section, "layer")
  }
  return { kind: "ok", text: stringify(value, { lineWidth: 0 }) }
}

/** A new value with the keys of `base` first. */
function merge(base: unknown, layer: unknown, wins: "base" | "layer"): unknown {
  if (!isSection(base) || !isSection(layer)) return wins === "base" ? base : layer
  const merged = Object.entries(base).map(([key, value]) =>
    Object.hasOwn(layer, key) ? [key, merge(value, layer[key], wins)] : [key, value],
  )
  const added = Object.entries(layer).filter(([key]) => !Object.hasOwn(base, key))
  return Object.fromEntries([...merged, ...added])
}
