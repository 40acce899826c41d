/**
 * Which settings of a repository's own git configuration a person has to approve: those that make git
 * run a program, or lead it elsewhere, and those that we do not know. Pure.
 *
 * A program gives way to the user's own, or to none, until a person approves it. We cannot know what a
 * setting of a later git does, or how it gives way, so without an approval git does not run there.
 * Settings that Coppice always overrules (hooks, aliases, monitors, protocols) ask for no approval.
 */
import { SETTINGS } from "./environment.ts"
import { isHarmless, isToolsSection } from "./harmless-settings.ts"
import {
  ALIAS,
  ATTRIBUTES,
  CREDENTIAL_HELPER,
  GIT_PROXY,
  PROGRAM_RULES,
  PROTOCOL,
} from "./program-rules.ts"
import type { GitProgram } from "./program-text.ts"

/** Beside {@link SETTINGS}, programs.ts overrules these in any case. */
const OVERRULED = [ALIAS, PROTOCOL, /^hook\./]
const OVERRULED_KEYS = new Set(Object.keys(SETTINGS).map((key) => key.toLowerCase()))

const isOverruled = (key: string) =>
  key === ATTRIBUTES || OVERRULED_KEYS.has(key) || OVERRULED.some((one) => one.test(key))

const isProgram = (key: string) =>
  PROGRAM_RULES.some((rule) => rule.key.test(key)) ||
  CREDENTIAL_HELPER.test(key) ||
  key === GIT_PROXY

/** Without a value a helper is none. An empty switch is off, and an empty filter takes the place of the user's. */
const isNoHelper = ({ key, value }: GitProgram) => value === "" && CREDENTIAL_HELPER.test(key)

/** Whether we know of no value that keeps this setting of {@link listGitPrograms} from its effect. */
export const isUnknown = ({ key }: GitProgram): boolean => !isProgram(key)

const isOwn = (scope: string) => scope === "local" || scope === "worktree"

/** Asks the installed git for its sections: it may be later than those that we know. */
export const SECTIONS_OF_GIT = ["help", "--config-sections-for-completion"]

/** Whether the answer to {@link SECTIONS_OF_GIT} matters to {@link listGitPrograms}. */
export const hasToolsSettings = (config: readonly GitProgram[]): boolean =>
  config.some(({ scope, key }) => isOwn(scope) && isToolsSection(key))

/**
 * The settings of the repository's own configuration that a person has to approve.
 *
 * @param sections the answer to {@link SECTIONS_OF_GIT}; it may be empty if no tool has settings.
 */
export function listGitPrograms(config: readonly GitProgram[], sections: string): GitProgram[] {
  const later = new Set(sections.toLowerCase().split("\n"))
  const isTools = (key: string) => isToolsSection(key) && !later.has(key.split(".", 1)[0] ?? "")
  return config
    .filter(
      (one) =>
        isOwn(one.scope) &&
        !isNoHelper(one) &&
        !isTools(one.key) &&
        !isHarmless(one) &&
        !isOverruled(one.key),
    )
    .map(({ key, value, scope }) => ({ key, value, scope }))
}
