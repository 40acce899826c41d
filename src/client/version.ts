/** The version of this package, as its package.json says. */
import { readFileSync } from "node:fs"

export function readVersion(): string {
  const path = new URL("../../package.json", import.meta.url)
  return (JSON.parse(readFileSync(path, "utf8")) as { version: string }).version
}
