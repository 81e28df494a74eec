/** Keeps parcels. TODO: weigh them. */
package com.example.docks;

import com.example.crane.Hook;
import com.example.store.*;
import static com.example.crane.Rope.pull;

public abstract class Harbour<T> extends Place implements Finder, Runnable {
    private static final int LIMIT = 20, LEAST = 1;
    protected T kept;

    public Harbour(T kept) {
        this.kept = kept;
    }

    @Override
    public int find(final String code, Parcel... parcels) throws Lost {
        if (code.isEmpty() || parcels.length > LIMIT) {
            return -1;
        } else if (pull(code)) {
            return 0;
        }
        for (Parcel parcel : parcels) {
            switch (parcel.kind()) {
                case 1:
                    return Hook.lift(parcel);
                default:
                    break;
            }
        }
        return LEAST;
    }

    abstract void close(); // FIXME: twice

    public void run() {
        new Thread(new Runnable() {
            public void run() { close(); }
        });
    }

    enum State { OPEN, CLOSED; private int since; int age() { return since; } }

    record Parcel(String code, int kind) {}
}

interface Finder {
    int KIND = 1;

    int find(String code, Harbour.Parcel... parcels) throws Lost;
}
