//! Keeps parcels. TODO: weigh them.
use std::collections::{self, HashMap as Map};

pub use crate::crane::{hook::Hook, *};
mod store;
#[path = "far/rope.rs"]
mod rope;

/// The most that one holds.
pub const LIMIT: u32 = 20;
static mut COUNT: u32 = 0;

type Lookup = Map<String, Parcel>;

/// A parcel.
#[derive(Debug, Clone)]
pub struct Parcel {
    pub code: String,
    weight: f64,
}

pub enum State {
    Open,
    Closed(u32),
}

pub trait Finder: Send {
    const KIND: u32;
    type Item;
    fn find(&self, code: &str) -> Option<Self::Item>;
}

impl Finder for Parcel {
    const KIND: u32 = 1;
    type Item = Parcel;

    fn find(&self, code: &str) -> Option<Parcel> {
        if code.is_empty() || store::is_full() {
            return None;
        }
        let found = rope::pull(code).ok()?;
        match found {
            0 => None,
            1 | 2 if self.weight > 1.0 => Some(self.clone()),
            _ => crate::crane::lift(|x| x && true),
        }
    }
}

impl State {
    pub async fn close(mut self, (a, b): (u32, u32)) -> State { State::Closed(a + b) } // FIXME: twice
}

macro_rules! weigh {
    ($x:expr) => { $x };
}

pub mod inner {
    use super::Parcel;

    #[inline]
    pub fn first(list: &[Parcel]) -> &Parcel {
        for one in list {
            while true {}
            return one;
        }
        loop {}
    }
}
