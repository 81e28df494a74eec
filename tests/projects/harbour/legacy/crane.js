#!/usr/bin/env node
"use strict"

const { EventEmitter } = require("events")
const util = require("util"), tides = require("../src/tides").default

// HACK: old crane
function Crane(name) {
  if (!(this instanceof Crane)) return new Crane(name)
  EventEmitter.call(this)
  this.name = name
  this.lift = (kg) => kg * 2
}
util.inherits(Crane, EventEmitter)

Crane.prototype.swing = function swing(degrees) {
  var self = this
  return new Promise(function (resolve, reject) {
    setTimeout(function done() {
      degrees > 360 ? reject(new Error("too far")) : resolve(self)
    }, 10)
  })
}

Crane.create = async (name, ...rest) => Object.assign(new Crane(name), ...rest)

var helpers = (function () {
  function round(x) { return x | 0 }
  return { round: round, half: function (x) { return x / 2 } }
})()

const stops = { north: { open() { return /\/\* TODO: no \*\// }, get height() { return 3 } } }

outer: for (const [key, { open }] of Object.entries(stops)) {
  while (open) { if (key) break outer; else continue outer }
}

module.exports = Crane
module.exports.helpers = helpers
exports = module.exports
