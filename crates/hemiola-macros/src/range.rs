//! The check that the default of a parameter is within its range: of literals here, of constants by
//! the compiler. What a default does at run time, such as calling a function, is not checked.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{BinOp, Error, Expr, ExprUnary, Lit, Result, Type, UnOp};

use crate::written::written;

/// The ends of `range = START..=END`.
pub struct Limits {
    pub start: Expr,
    pub end: Expr,
}

impl Limits {
    /// Checks a default, or each item of one that is an array. Returns what the compiler has to
    /// evaluate for that.
    pub fn check(&self, name: &str, ty: &Type, default: &Expr) -> Result<TokenStream> {
        if let (Expr::Array(items), Type::Array(array)) = (default, ty) {
            return items.elems.iter().map(|item| self.check(name, &array.elem, item)).collect();
        }
        let numbers = (literal(&self.start), literal(&self.end), literal(default));
        if let (Some(start), Some(end), Some(value)) = numbers {
            let is_within = (start..=end).contains(&value);
            return if is_within {
                Ok(TokenStream::new())
            } else {
                Err(Error::new_spanned(default, self.outside(name, default)))
            };
        }
        let are_constants = [&self.start, &self.end, default].into_iter().all(is_constant);
        Ok(if are_constants { self.evaluated(name, ty, default) } else { TokenStream::new() })
    }

    /// Returns an item that does not compile if the default is outside.
    fn evaluated(&self, name: &str, ty: &Type, default: &Expr) -> TokenStream {
        let Type::Path(path) = ty else { return TokenStream::new() };
        let Some(last) = path.path.segments.last() else { return TokenStream::new() };
        // The ends are rounded as the default is: 0.1 as `f32` is greater than as `f64`.
        let (number, limit) = match last.ident.to_string().as_str() {
            "f32" => (quote! { VALUE }, quote! { f32 }),
            "f64" => (quote! { VALUE }, quote! { f64 }),
            "Duration" => (quote! { VALUE.as_secs_f64() }, quote! { f64 }),
            "u8" | "u16" | "u32" | "u64" | "usize" | "i8" | "i16" | "i32" | "i64" | "isize" => {
                (quote! { VALUE as f64 }, quote! { f64 })
            }
            _ => return TokenStream::new(),
        };
        let (start, end, outside) = (&self.start, &self.end, self.outside(name, default));
        let check = quote_spanned! { default.span() => ::core::assert!(IS_WITHIN, #outside); };
        quote! {
            const _: () = {
                const VALUE: #ty = #default;
                const NUMBER: #limit = #number;
                const IS_WITHIN: bool =
                    NUMBER >= (#start) as f64 as #limit && NUMBER <= (#end) as f64 as #limit;
                #check
            };
        }
    }

    fn outside(&self, name: &str, default: &Expr) -> String {
        let [start, end, default] = [&self.start, &self.end, default].map(written);
        format!("the default of `{name}` is {default}, outside of its range {start}..={end}")
    }
}

/// Returns the value of a number that is written out.
fn literal(expression: &Expr) -> Option<f64> {
    match expression {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Float(number) => number.base10_parse().ok(),
            Lit::Int(number) => number.base10_parse().ok(),
            _ => None,
        },
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => literal(expr).map(|number| -number),
        Expr::Paren(inner) => literal(&inner.expr),
        Expr::Group(inner) => literal(&inner.expr),
        _ => None,
    }
}

/// Returns whether the compiler can surely evaluate an expression: it has numbers, constants,
/// arithmetic, and `Duration::from_millis(300)` and the like.
fn is_constant(expression: &Expr) -> bool {
    match expression {
        Expr::Lit(literal) => matches!(literal.lit, Lit::Int(_) | Lit::Float(_)),
        Expr::Path(path) => path.qself.is_none() && is_name_of_a_constant(&path.path),
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => is_constant(expr),
        Expr::Paren(inner) => is_constant(&inner.expr),
        Expr::Group(inner) => is_constant(&inner.expr),
        Expr::Cast(cast) => is_constant(&cast.expr),
        Expr::Binary(both) => {
            let is_arithmetic = matches!(both.op, BinOp::Add(_) | BinOp::Sub(_) | BinOp::Mul(_) | BinOp::Div(_));
            is_arithmetic && is_constant(&both.left) && is_constant(&both.right)
        }
        Expr::Call(call) => is_duration(&call.func) && call.args.iter().all(is_constant),
        _ => false,
    }
}

/// Constants have names in capitals. `Self` is not known where the check is made.
fn is_name_of_a_constant(path: &syn::Path) -> bool {
    let is_capital = |one: char| one.is_ascii_uppercase() || one.is_ascii_digit() || one == '_';
    path.segments.first().is_some_and(|first| first.ident != "Self")
        && path.segments.last().is_some_and(|last| last.ident.to_string().chars().all(is_capital))
}

/// Returns whether a function is one of `Duration::from_secs`, `from_millis` and their siblings,
/// all of which are constant.
fn is_duration(function: &Expr) -> bool {
    let Expr::Path(path) = function else { return false };
    let names: Vec<_> = path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    matches!(names.as_slice(), [.., duration, from] if duration == "Duration" && from.starts_with("from_"))
}
