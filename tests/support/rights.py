"""The rights that a user of a shared server needs, as ``ACL SETUSER`` takes them."""

KEYS = "~ipuaro:*"
"""The pattern of all keys; nothing is published or subscribed to, so no channel is needed."""

COMMANDS = (
    *("+ping", "+info", "+scan", "+memory|usage", "+eval"),
    *("+multi", "+exec", "+watch", "+unwatch"),
    *("+get", "+set", "+exists", "+unlink", "+del", "+rename", "+pexpire", "+pttl"),
    *("+hget", "+hset", "+hsetnx", "+hmget", "+hgetall", "+hdel", "+hexists"),
    *("+hincrby", "+hkeys", "+hlen"),
    *("+lpush", "+rpush", "+lrange", "+llen", "+lindex", "+lset", "+ltrim", "+lrem"),
    *("+zadd", "+zrem", "+zcard", "+zscore", "+zrevrange", "+zrangebyscore"),
)
"""The commands on any server."""

OF_A_CLUSTER = ("+cluster|slots", "+command")
OF_SENTINELS = ("+ping", "+sentinel|masters")
"""What the user of the sentinels themselves needs there."""
