/**
 * Compares this process with the daemon that runs: its version, and the variables that it gives to
 * agents, set-ups and gates.
 *
 * Variables are never taken over unasked: a daemon that was started with a key would lose it to a shell
 * without one. The daemon publishes a hash of each, which says nothing about its value.
 */

import { fnv1a } from "../../base/text/hash.ts"
import { isModelVariable, isOuterSession } from "../../base/text/secrets.ts"
import type { Env } from "../../config/substitute.ts"

/** The daemon is of another version, or runs with other values of these variables. */
export type OtherDaemon =
  | { readonly kind: "version"; readonly daemon: string; readonly own: string }
  | { readonly kind: "environment"; readonly names: readonly string[] }

/** A hash of PATH and of each variable of a model provider. @param token makes the hashes of each daemon differ. */
export function hashEnvironment(env: Env, token: string): Record<string, string> {
  const isGiven = (name: string) =>
    name === "PATH" || (isModelVariable(name, env) && !isOuterSession(name))
  const given = Object.entries(env).filter(([name, value]) => value !== undefined && isGiven(name))
  return Object.fromEntries(
    given.map(([name, value]) => [name, fnv1a(`${token} ${name}=${value}`)]),
  )
}

/** The names of the variables that differ, in alphabetical order. */
export function differingNames(hashes: Readonly<Record<string, string>>, env: Env, token: string) {
  const own = hashEnvironment(env, token)
  const names = new Set([...Object.keys(hashes), ...Object.keys(own)])
  return [...names].filter((name) => hashes[name] !== own[name]).sort()
}
