/** The part of a card about unfinished work: its size, latest gate, conflicts with other tasks, and ports. */

import type { LiveWorkDocument } from "../../src/api/wire/work.ts"
import { clean } from "../../src/base/text/shown.ts"

export type Work = LiveWorkDocument["tasks"][number]

/** @param isSized not where the card shows the size of what a person approves. */
export function LiveWork({ work, isSized }: { readonly work: Work; readonly isSized: boolean }) {
  const { files, added, removed, gate, ports, conflicts } = work
  const served = ports.flatMap((block) => block.served)
  if (files === 0 && gate === null && served.length === 0) return null
  return (
    <p className="facts">
      {isSized && files > 0 && (
        <span className="size">
          {files} {files === 1 ? "file" : "files"} <ins>+{added}</ins> <del>−{removed}</del>
        </span>
      )}
      {gate && <span className={gate === "failed" ? "error" : ""}>gate {gate}</span>}
      {conflicts.map(({ task, paths }) => (
        <a key={task} className="error" href={`#/task/${task}`} title={clean(paths.join("\n"))}>
          conflicts with {task}
        </a>
      ))}
      {served.map((port) => (
        <a key={port} href={`http://localhost:${port}/`} target="_blank" rel="noreferrer">
          port {port}
        </a>
      ))}
    </p>
  )
}
