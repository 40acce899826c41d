import { expect, test } from "vitest"
import { cgroupFolder } from "./cgroup-folder.ts"

const V1 = "30 24 0:26 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory"
const V2 = "41 31 0:38 / /sys/fs/cgroup rw,relatime shared:9 - cgroup2 cgroup2 rw"
const HYBRID = "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw"

test.each([
  ["a group of its own", V2, "0::/user.slice/a.scope\n", "/sys/fs/cgroup/user.slice/a.scope"],
  ["the root group", V2, "0::/\n", "/sys/fs/cgroup"],
  ["v1 and v2 together", `${V1}\n${HYBRID}`, "4:memory:/a\n0::/b\n", "/sys/fs/cgroup/unified/b"],
  ["v1 alone", V1, "4:memory:/a\n", undefined],
  ["a mount of another group", V2.replace("/ /sys", "/x /sys"), "0::/\n", undefined],
  ["a group outside the namespace", V2, "0::/../a\n", undefined],
])("the folder of the control group: %s", (_, mountinfo, cgroup, folder) => {
  expect(cgroupFolder(mountinfo, cgroup)).toBe(folder)
})
