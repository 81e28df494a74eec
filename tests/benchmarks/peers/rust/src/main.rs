//! Prints what Rust files declare, by syn: one line of JSON for each file named on standard input.

use proc_macro2::{Ident, Span};
use serde_json::{json, Value};
use std::io::BufRead;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

#[derive(Default)]
struct Reader {
    path: Vec<String>,
    rows: Vec<Value>,
    imports: Vec<String>,
    modules: usize,
    decisions: Vec<u32>,
    complexity: Vec<Value>,
}

impl Reader {
    fn add(&mut self, kind: &str, name: &Ident, whole: Span) {
        let mut path = self.path.clone();
        path.push(name.to_string());
        self.rows.push(json!([kind, path.join("."), name.span().start().line, whole.end().line]));
    }

    fn within(&mut self, name: String, inside: impl FnOnce(&mut Self)) {
        self.path.push(name);
        inside(self);
        self.path.pop();
    }

    fn function(&mut self, name: &Ident, whole: Span, inside: impl FnOnce(&mut Self)) {
        self.add("function", name, whole);
        self.decisions.push(1);
        let mut path = self.path.clone();
        path.push(name.to_string());
        self.within(name.to_string(), inside);
        let count = self.decisions.pop().unwrap();
        self.complexity.push(json!([path.join("."), count]));
    }

    fn decide(&mut self) {
        if let Some(last) = self.decisions.last_mut() {
            *last += 1;
        }
    }

    fn fields(&mut self, name: &Ident, fields: &syn::Fields) {
        self.path.push(name.to_string());
        for field in fields {
            if let Some(own) = &field.ident {
                self.add("field", own, field.span());
            }
        }
        self.path.pop();
    }

    fn uses(&mut self, tree: &syn::UseTree, before: Vec<String>) {
        match tree {
            syn::UseTree::Path(path) => {
                let mut below = before;
                below.push(path.ident.to_string());
                self.uses(&path.tree, below);
            }
            syn::UseTree::Group(group) => {
                for item in &group.items {
                    self.uses(item, before.clone());
                }
            }
            syn::UseTree::Name(name) => self.used(before, &name.ident),
            syn::UseTree::Rename(name) => self.used(before, &name.ident),
            syn::UseTree::Glob(_) => self.imports.push(format!("{}::*", before.join("::"))),
        }
    }

    fn used(&mut self, mut before: Vec<String>, name: &Ident) {
        if name != "self" {
            before.push(name.to_string());
        }
        self.imports.push(before.join("::"));
    }
}

fn last_name(ty: &syn::Type) -> Option<String> {
    match ty {
        syn::Type::Path(path) => path.path.segments.last().map(|one| one.ident.to_string()),
        syn::Type::Reference(inner) => last_name(&inner.elem),
        syn::Type::Group(inner) => last_name(&inner.elem),
        syn::Type::Paren(inner) => last_name(&inner.elem),
        _ => None,
    }
}

impl<'a> Visit<'a> for Reader {
    fn visit_item_fn(&mut self, node: &'a syn::ItemFn) {
        self.function(&node.sig.ident, node.span(), |inner| visit::visit_block(inner, &node.block));
    }
    fn visit_foreign_item_fn(&mut self, node: &'a syn::ForeignItemFn) {
        self.function(&node.sig.ident, node.span(), |_| {});
    }
    fn visit_impl_item_fn(&mut self, node: &'a syn::ImplItemFn) {
        self.function(&node.sig.ident, node.span(), |inner| visit::visit_block(inner, &node.block));
    }
    fn visit_trait_item_fn(&mut self, node: &'a syn::TraitItemFn) {
        self.function(&node.sig.ident, node.span(), |inner| {
            if let Some(block) = &node.default {
                visit::visit_block(inner, block);
            }
        });
    }
    fn visit_item_struct(&mut self, node: &'a syn::ItemStruct) {
        self.add("struct", &node.ident, node.span());
        self.fields(&node.ident, &node.fields);
    }
    fn visit_item_union(&mut self, node: &'a syn::ItemUnion) {
        self.add("struct", &node.ident, node.span());
        self.fields(&node.ident, &syn::Fields::Named(node.fields.clone()));
    }
    fn visit_item_enum(&mut self, node: &'a syn::ItemEnum) {
        self.add("enum", &node.ident, node.span());
        self.path.push(node.ident.to_string());
        for variant in &node.variants {
            self.add("field", &variant.ident, variant.span());
        }
        self.path.pop();
    }
    fn visit_item_trait(&mut self, node: &'a syn::ItemTrait) {
        self.add("trait", &node.ident, node.span());
        self.within(node.ident.to_string(), |inner| visit::visit_item_trait(inner, node));
    }
    fn visit_item_impl(&mut self, node: &'a syn::ItemImpl) {
        match last_name(&node.self_ty) {
            Some(name) => self.within(name, |inner| visit::visit_item_impl(inner, node)),
            None => {} // of a slice, a tuple and the like
        }
    }
    fn visit_item_mod(&mut self, node: &'a syn::ItemMod) {
        if node.content.is_some() {
            self.add("module", &node.ident, node.span());
            self.within(node.ident.to_string(), |inner| visit::visit_item_mod(inner, node));
        } else {
            self.modules += 1;
        }
    }
    fn visit_item_type(&mut self, node: &'a syn::ItemType) {
        self.add("type", &node.ident, node.span());
    }
    fn visit_impl_item_type(&mut self, node: &'a syn::ImplItemType) {
        self.add("type", &node.ident, node.span());
    }
    fn visit_trait_item_type(&mut self, node: &'a syn::TraitItemType) {
        self.add("type", &node.ident, node.span());
    }
    fn visit_item_const(&mut self, node: &'a syn::ItemConst) {
        if node.ident != "_" && self.decisions.is_empty() {
            self.add("value", &node.ident, node.span());
        }
    }
    fn visit_impl_item_const(&mut self, node: &'a syn::ImplItemConst) {
        self.add("value", &node.ident, node.span());
    }
    fn visit_trait_item_const(&mut self, node: &'a syn::TraitItemConst) {
        self.add("value", &node.ident, node.span());
    }
    fn visit_item_static(&mut self, node: &'a syn::ItemStatic) {
        if self.decisions.is_empty() {
            self.add("value", &node.ident, node.span());
        }
    }
    fn visit_foreign_item_static(&mut self, node: &'a syn::ForeignItemStatic) {
        self.add("value", &node.ident, node.span());
    }
    fn visit_item_macro(&mut self, node: &'a syn::ItemMacro) {
        if let Some(name) = &node.ident {
            self.add("macro", name, node.span());
        }
    }
    fn visit_item_extern_crate(&mut self, node: &'a syn::ItemExternCrate) {
        self.imports.push(node.ident.to_string());
    }
    fn visit_item_use(&mut self, node: &'a syn::ItemUse) {
        self.uses(&node.tree, Vec::new());
    }
    fn visit_expr_if(&mut self, node: &'a syn::ExprIf) {
        self.decide();
        visit::visit_expr_if(self, node);
    }
    fn visit_expr_while(&mut self, node: &'a syn::ExprWhile) {
        self.decide();
        visit::visit_expr_while(self, node);
    }
    fn visit_expr_for_loop(&mut self, node: &'a syn::ExprForLoop) {
        self.decide();
        visit::visit_expr_for_loop(self, node);
    }
    fn visit_expr_loop(&mut self, node: &'a syn::ExprLoop) {
        self.decide();
        visit::visit_expr_loop(self, node);
    }
    fn visit_expr_try(&mut self, node: &'a syn::ExprTry) {
        self.decide();
        visit::visit_expr_try(self, node);
    }
    fn visit_expr_binary(&mut self, node: &'a syn::ExprBinary) {
        if matches!(node.op, syn::BinOp::And(_) | syn::BinOp::Or(_)) {
            self.decide();
        }
        visit::visit_expr_binary(self, node);
    }
    fn visit_arm(&mut self, node: &'a syn::Arm) {
        if node.guard.is_some() || !matches!(node.pat, syn::Pat::Wild(_)) {
            self.decide();
        }
        visit::visit_arm(self, node);
    }
    fn visit_local(&mut self, node: &'a syn::Local) {
        if node.init.as_ref().is_some_and(|init| init.diverge.is_some()) {
            self.decide();
        }
        visit::visit_local(self, node);
    }
}

fn main() {
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let text = std::fs::read_to_string(&line).unwrap_or_default();
        let mut reader = Reader::default();
        let error = match syn::parse_file(&text) {
            Ok(file) => {
                reader.visit_file(&file);
                String::new()
            }
            Err(error) => error.to_string(),
        };
        println!(
            "{}",
            json!({"path": line, "error": error, "rows": reader.rows, "imports": reader.imports,
                   "modules": reader.modules, "complexity": reader.complexity})
        );
    }
}
