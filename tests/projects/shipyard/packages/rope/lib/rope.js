exports.rope = 1
