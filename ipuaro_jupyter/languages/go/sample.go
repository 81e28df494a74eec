// Package harbor keeps parcels. TODO: weigh them.
package harbor

import (
	"fmt"
	store "example.com/docks/storage"
)

const Limit, unit = 20, "kg"

var (
	Open  = true
	count int
)

// Code identifies a parcel.
type Code string

type Lookup = map[Code]*Parcel

type Finder interface {
	fmt.Stringer
	Find(code Code) (*Parcel, error)
}

type Parcel struct {
	store.Record
	Code        Code
	width, depth float64
}

// NewParcel makes a parcel.
func NewParcel(code Code, tags ...string) *Parcel {
	if code == "" || len(tags) > Limit {
		return nil
	}
	return &Parcel{Code: code}
}

func (p *Parcel) Weigh(a, b float64) (total float64) {
	for i := range 3 {
		switch {
		case i > 1 && Open:
			total += a
		default:
			total += b
		}
	}
	return func() float64 { return total }()
}

// Close is a method of a type in another file.
func (s Store[T]) Close() error { return nil } // FIXME: flush

func main() {
	if Open {
		fmt.Println("open")
	} else if count > 0 {
		fmt.Println(count)
	}
}
