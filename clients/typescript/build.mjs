// Says of each half of dist how its modules are read, whatever package.json says of the whole.
import { writeFileSync } from "node:fs";

writeFileSync(new URL("dist/cjs/package.json", import.meta.url), '{"type": "commonjs"}\n');
writeFileSync(new URL("dist/esm/package.json", import.meta.url), '{"type": "module"}\n');
