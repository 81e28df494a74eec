// Command declarations prints what Go files declare, by go/parser: one line of JSON for each file
// named on standard input.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
)

type file struct {
	Path    string  `json:"path"`
	Error   string  `json:"error"`
	Rows    [][]any `json:"rows"`
	Imports []any   `json:"imports"`
}

type reader struct {
	set  *token.FileSet
	rows [][]any
}

func (r *reader) add(kind, name string, at token.Pos, whole ast.Node) {
	if name[len(name)-1] != '_' || (len(name) > 1 && name[len(name)-2] != '.') {
		r.rows = append(r.rows, []any{kind, name, r.set.Position(at).Line, r.set.Position(whole.End()).Line})
	}
}

func named(e ast.Expr) *ast.Ident {
	switch t := e.(type) {
	case *ast.Ident:
		return t
	case *ast.StarExpr:
		return named(t.X)
	case *ast.ParenExpr:
		return named(t.X)
	case *ast.IndexExpr:
		return named(t.X)
	case *ast.IndexListExpr:
		return named(t.X)
	case *ast.SelectorExpr:
		return t.Sel
	}
	return nil
}

func (r *reader) declared(d *ast.GenDecl, in string) {
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			name := in + s.Name.Name
			kind := "type"
			switch t := s.Type.(type) {
			case *ast.StructType:
				if s.Assign == 0 {
					kind = "struct"
					r.fields(t.Fields, name, "field")
				}
			case *ast.InterfaceType:
				if s.Assign == 0 {
					kind = "interface"
					r.fields(t.Methods, name, "method")
				}
			}
			r.add(kind, name, s.Name.Pos(), s)
		case *ast.ValueSpec:
			for _, n := range s.Names {
				if in == "" && n.Name != "_" {
					r.add("value", n.Name, n.Pos(), s)
				}
			}
		}
	}
}

func (r *reader) fields(l *ast.FieldList, in, kind string) {
	for _, f := range l.List {
		for _, n := range f.Names {
			if n.Name != "_" {
				r.add(kind, in+"."+n.Name, n.Pos(), f)
			}
		}
		if id := named(f.Type); len(f.Names) == 0 && kind == "field" && id != nil {
			r.add(kind, in+"."+id.Name, id.Pos(), f)
		}
	}
}

func main() {
	out := json.NewEncoder(os.Stdout)
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		r := &reader{set: token.NewFileSet()}
		f := file{Path: in.Text(), Imports: []any{}}
		tree, err := parser.ParseFile(r.set, in.Text(), nil, parser.SkipObjectResolution)
		if err != nil {
			f.Error = fmt.Sprint(err)
			out.Encode(f)
			continue
		}
		for _, i := range tree.Imports {
			f.Imports = append(f.Imports, i.Path.Value[1:len(i.Path.Value)-1])
		}
		for _, d := range tree.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				r.declared(d, "")
			case *ast.FuncDecl:
				name := d.Name.Name
				if d.Recv != nil && len(d.Recv.List) > 0 {
					if id := named(d.Recv.List[0].Type); id != nil {
						name = id.Name + "." + name
					}
				}
				r.add("function", name, d.Name.Pos(), d)
				if d.Body != nil {
					ast.Inspect(d.Body, func(n ast.Node) bool {
						if g, ok := n.(*ast.GenDecl); ok {
							r.declared(g, name+".")
						}
						return true
					})
				}
			}
		}
		f.Rows = r.rows
		out.Encode(f)
	}
}
