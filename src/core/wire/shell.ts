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

/** The names in a home, read from its store and its configuration. */
export const NamesDocument = z.object({
  /** The newest first. */
  tasks: z.array(z.object({ id: z.string(), title: z.string(), state: z.string() })),
  agents: z.array(z.string()),
  repos: z.array(z.string()),
})
export type NamesDocument = z.infer<typeof NamesDocument>
