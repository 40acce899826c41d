/**
 * Texts that a person has typed and not sent. The browser keeps them, so that a reload, another page or
 * another tab has them, too. One that it refuses to keep lasts as long as the page.
 */
import { useSyncExternalStore } from "react"

const KEY = "coppice-draft"
/** The new text, or how it follows from the text that is there by then. */
type Change = string | ((text: string) => string)

/** By scope. */
const unkept = new Map<string, string>()
const watchers = new Set<() => void>()

/** Another tab has changed one. */
addEventListener("storage", ({ key }) => {
  if (key === null || key.startsWith(KEY)) tellAll()
})

/** @param scope the home, and the field in it: another home can get the same port. */
export function useDraft(scope: string): readonly [string, (change: Change) => void] {
  const text = useSyncExternalStore(watch, () => draftOf(scope))
  return [text, (to) => keep(scope, typeof to === "string" ? to : to(draftOf(scope)))]
}

/** For a person who logs out: the next one at this browser must not read them. */
export function forgetDrafts(): void {
  unkept.clear()
  for (const key of Object.keys(localStorage)) if (key.startsWith(KEY)) localStorage.removeItem(key)
  tellAll()
}

const draftOf = (scope: string): string =>
  unkept.get(scope) ?? localStorage.getItem(`${KEY} ${scope}`) ?? ""

function keep(scope: string, text: string): void {
  unkept.delete(scope)
  try {
    if (text === "") localStorage.removeItem(`${KEY} ${scope}`)
    else localStorage.setItem(`${KEY} ${scope}`, text)
  } catch {
    unkept.set(scope, text) // no room is left
  }
  tellAll()
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}

function tellAll(): void {
  for (const watcher of watchers) watcher()
}
