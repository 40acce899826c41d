/** Ends the daemon when its home is moved away: the next command there starts one that follows it. */
import { findFolderId } from "../../api/client/folder-id.ts"

/** Soon enough that few agents meet a worktree without its repository. */
const POLL_MS = 500

/** @returns a function that stops watching. */
export function endWhenMoved(home: string, end: () => void): () => void {
  const id = findFolderId(home)
  const look = () => {
    if (id !== undefined && findFolderId(home) !== id) end()
  }
  const timer = setInterval(look, POLL_MS)
  timer.unref()
  return () => clearInterval(timer)
}
