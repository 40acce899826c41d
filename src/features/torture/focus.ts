/** The situations that `coppice torture --focus` brings about in half of its tasks. */

export const TORTURE_FOCUSES = ["red-gates", "left-files", "background-processes"] as const
export type TortureFocus = (typeof TORTURE_FOCUSES)[number]
