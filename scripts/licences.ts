/** Collects the licences of the packages in a bundle, which must go with it. */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** Up to the name of the innermost package; the name may have a scope. */
const PACKAGE = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/

/** @param modules paths of modules. @returns one text, with each package once, by name. */
export function licencesOf(modules: readonly string[]): string {
  const folders = new Set(modules.flatMap((path) => PACKAGE.exec(path) ?? []))
  return [...folders].map(licenceOf).sort().join("\n")
}

/** @throws Error for a package without a licence, which does not let us pass it on. */
function licenceOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  if (typeof license !== "string") throw new Error(`${name} has no licence`)
  const files = globSync("{licen[cs]e,LICEN[CS]E}{,.*,-*}", { cwd: folder })
  const texts = files.map((file) => readFileSync(join(folder, file), "utf8").trim())
  return [`${name} ${version}: ${license}`, "", ...texts, ""].join("\n")
}
