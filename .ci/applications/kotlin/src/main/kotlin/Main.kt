@@ docs/guide/kotlin.md / Handlers that suspend / 1
