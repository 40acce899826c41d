/**
 * Whom a wait for git is for, known to whatever waits below: a git that was stopped, or whose disk does not answer,
 * must not hold up somebody who has given up already. A git that answers is heard out all the same.
 */
import { AsyncLocalStorage } from "node:async_hooks"

const signals = new AsyncLocalStorage<AbortSignal>()

/**
 * Runs `action`. Once the signal aborts, less is waited for a silent git, which is ended: what waited for it
 * rejects with a GitSilentError, or with the signal's reason where it read objects (objects/object-reader.ts).
 */
export function abortable<T>(signal: AbortSignal, action: () => Promise<T>): Promise<T> {
  return signals.run(signal, action)
}

/** Of whatever runs now. */
export const findSignal = (): AbortSignal | undefined => signals.getStore()
