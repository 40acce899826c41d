/**
 * Draws what one run tries of a table that is too long to try whole each time.
 *
 * `FAULTS=all` tries everything; `FAULT_SEED` draws the same again.
 */
import { Dice } from "../../torture/dice.ts"

/** Of ten, how many are tried. */
const IN_TEN = 3

/** @returns whether the next one is tried. Prints the seed. */
export function draw(table: string): () => boolean {
  if (process.env["FAULTS"] === "all") return () => true
  const seed = Number(process.env["FAULT_SEED"] ?? Math.floor(Math.random() * 2 ** 31))
  console.log(`seed of what is tried of ${table}: ${seed}`)
  const dice = new Dice(seed)
  return () => dice.below(10) < IN_TEN
}
