import "./src/index"
import "./src/index.js"
import "@/views/board"
import "@yard/hull/deep"
