import "@yard/hull"
import "@yard/hull/src/rivets"
import "guests"
import "rooms"
import x = require("./rooms")
