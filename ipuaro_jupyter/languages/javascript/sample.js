#!/usr/bin/env node
/**
 * FIXME(ada): slow
 */
const { open, close: shut } = require("./gate")
const lib = require("./lib").lib

class Truck extends Vehicle {
  #plate = "x"
  wheels = 6
  static from(o) { return new Truck(o) }
  async drive(km = 1, ...stops) {
    for (let i = 0; i < km; i++) {
      switch (stops[i]) {
        case 1: break
        default: continue
      }
    }
  }
}

Truck.prototype.stop = function () {
  try { shut() } catch { open() }
}

function* rows({ deep }, [head], ...tail) {
  yield head
}

const pad = (n) =>
  String(n).padStart(2, "0")

exports.LIMIT = 10
exports.load = async function (path) { return import(path + "/x") }
module.exports = { Truck, pad, ten: rows, weigh() {}, lib: require("./lib"), ...lib }
