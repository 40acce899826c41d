/** The documents of commands that serve the shell and the installation. */
import { z } from "zod"

/** The words that may follow on a command line. */
export const CompletionsDocument = z.object({
  candidates: z.array(z.object({ value: z.string(), about: z.string() })),
  /** The shell also offers its own: paths of files or folders. */
  paths: z.enum(["files", "folders"]).nullable(),
})
export type CompletionsDocument = z.infer<typeof CompletionsDocument>

/** A script for a shell. */
export const CompletionScriptDocument = z.object({ shell: z.string(), script: z.string() })
export type CompletionScriptDocument = z.infer<typeof CompletionScriptDocument>

/** A line of the daemon's log. */
export const DaemonLogLine = z.object({
  /** Null, like `level`, for text that the daemon did not write as a line of its log, such as a crash of Node. */
  at: z.iso.datetime().nullable(),
  level: z.enum(["info", "warn", "error", "fatal"]).nullable(),
  text: z.string(),
  /** The line's other values; `error` has type, message, code, stack and cause. */
  facts: z.record(z.string(), z.unknown()),
})
export type DaemonLogLine = z.infer<typeof DaemonLogLine>

export const DaemonLogDocument = z.object({ lines: z.array(DaemonLogLine) })
export type DaemonLogDocument = z.infer<typeof DaemonLogDocument>

/** Something of Coppice that `uninstall` removes, or keeps. */
export const UninstallItem = z.object({
  kind: z.enum(["daemon", "worktree", "branch", "ref", "file", "folder", "state"]),
  /** A path, a ref or a branch. */
  name: z.string(),
  action: z.enum(["remove", "keep"]),
  /** One sentence, without its full stop. */
  why: z.string(),
  /** For an item that stays: how a person saves its work, or discards it. */
  commands: z.array(z.string()),
  /** Null in a preview, and for an item that stays. */
  removed: z.boolean().nullable(),
})
export type UninstallItem = z.infer<typeof UninstallItem>

export const UninstalledHome = z.object({
  home: z.string(),
  items: z.array(UninstallItem),
  /** Why nothing was done in this home. */
  problem: z.string().nullable(),
})
export type UninstalledHome = z.infer<typeof UninstalledHome>

export const UninstallDocument = z.object({
  dryRun: z.boolean(),
  homes: z.array(UninstalledHome),
  /** The folder of compiled code, which is removed with the last home; null if it stays. */
  cache: z.string().nullable(),
})
export type UninstallDocument = z.infer<typeof UninstallDocument>

/** The names in a home, read from its store and its configuration. */
export const NamesDocument = z.object({
  /** The newest first. */
  tasks: z.array(z.object({ id: z.string(), title: z.string(), state: z.string() })),
  agents: z.array(z.string()),
  repos: z.array(z.string()),
})
export type NamesDocument = z.infer<typeof NamesDocument>
