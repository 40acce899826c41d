/**
 * Texts that a person has typed and not sent. The browser keeps them, so that a reload, another page or
 * another tab has them, too.
 */
import { useSyncExternalStore } from "react"

const KEY = "coppice-draft"
const watchers = new Set<() => void>()

/** Another tab has changed one. */
addEventListener("storage", ({ key }) => {
  if (key === null || key.startsWith(KEY)) tellAll()
})

/** @param scope the home, and the field in it: another home can get the same port. */
export function useDraft(scope: string): readonly [string, (text: string) => void] {
  const text = useSyncExternalStore(watch, () => localStorage.getItem(`${KEY} ${scope}`) ?? "")
  return [text, (text) => keep(scope, text)]
}

function keep(scope: string, text: string): void {
  if (text === "") localStorage.removeItem(`${KEY} ${scope}`)
  else localStorage.setItem(`${KEY} ${scope}`, text)
  tellAll()
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}

function tellAll(): void {
  for (const watcher of watchers) watcher()
}
