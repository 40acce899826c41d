/** The shape of a tool of `coppice mcp`, and what its code is given. */
import type { z } from "zod"
import type { Client } from "../../api/client/client.ts"

/**
 * - `reads`: changes nothing, and starts no daemon.
 * - `acts`: adds or moves work; whatever it changes still passes the gate and needs every approval.
 * - `decides`: it is a person's word, so a person confirms it in a dialog of their own program.
 */
export type Rights = "reads" | "acts" | "decides"

export type Call = {
  readonly client: Client
  /** The folder that the program works in. */
  readonly cwd: string
  /** Aborts when the program gives the call up, or has ended. */
  readonly signal: AbortSignal
  /** Tells the program how far a wait is. */
  report(message: string): Promise<void>
  /** @throws ConfirmationError unless a person sees the dialog and accepts it. */
  confirm(dialog: Dialog): Promise<void>
}

export type Dialog = {
  /** Everything that the person decides about. Hidden characters and line breaks are shown as numbers. */
  readonly lines: readonly string[]
  /** The command that does the same, for programs without dialogs. */
  readonly command: string
}

export type Tool<Shape extends z.ZodRawShape = z.ZodRawShape> = {
  readonly rights: Rights
  /** The tool's effect, then the one thing that would surprise. */
  readonly about: string
  readonly input: Shape
  /** @returns the document for the program's model. */
  run(call: Call, given: z.output<z.ZodObject<Shape>>): Promise<object>
}

/** The table of tools needs no input types; the tool itself does. */
export const tool = <Shape extends z.ZodRawShape>(one: Tool<Shape>): Tool => one as unknown as Tool
