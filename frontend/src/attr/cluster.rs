//! The argument `cluster = (2, 2)`: the blocks of a cluster.
use super::parse_dims;
use proc_macro2::Span;
use syn::{Error, Expr, ExprLit, Ident, Lit, parse::ParseStream};
use warpwise_compiler::ir::MAX_CLUSTER_BLOCKS;

/// The blocks of a cluster along x, y and z, and the span of the argument's name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClusterDims {
    pub(crate) dims: [u32; 3],
    pub(crate) at: Span,
}

/// Parses `= 4`, `= (2, 2)`, `= (2, 2, 2)`.
pub(super) fn parse_cluster(name: &Ident, input: ParseStream<'_>) -> syn::Result<ClusterDims> {
    const FORM: &str = "write `cluster = 4`, `cluster = (2, 2)` or `cluster = (2, 2, 2)`: the \
                        blocks of a cluster along each axis";
    let (written, tokens) = parse_dims(name, input, FORM)?;
    let mut dims = [1; 3];
    for (dim, written) in dims.iter_mut().zip(written) {
        *dim = parse_dimension(written)?;
    }
    let blocks = dims.iter().map(|dim| u64::from(*dim)).fold(1, u64::saturating_mul);
    if blocks > MAX_CLUSTER_BLOCKS.into() {
        let text = format!("a cluster has at most {MAX_CLUSTER_BLOCKS} blocks, not {blocks}");
        return Err(Error::new_spanned(tokens, text));
    }
    Ok(ClusterDims { dims, at: name.span() })
}

fn parse_dimension(dim: Expr) -> syn::Result<u32> {
    let Expr::Lit(ExprLit { lit: Lit::Int(int), .. }) = &dim else {
        return Err(Error::new_spanned(dim, "the blocks of a cluster along an axis are a number"));
    };
    match int.base10_parse()? {
        0 => Err(Error::new_spanned(dim, "a cluster has at least one block along each axis")),
        blocks => Ok(blocks),
    }
}

/// Reports a cooperative kernel with clusters.
pub(super) fn check_cluster(cluster: Option<ClusterDims>, cooperative: bool) -> Option<Error> {
    let text = "the blocks of a cooperative kernel do not run in clusters";
    cluster.filter(|_| cooperative).map(|cluster| Error::new(cluster.at, text))
}

#[cfg(test)]
mod tests {
    use super::super::parse_arguments;
    use quote::quote;

    #[test]
    fn a_cluster_has_up_to_three_dimensions() {
        let cases = [
            (quote!(cluster = 4), [4, 1, 1]),
            (quote!(cluster = (2)), [2, 1, 1]),
            (quote!(cluster = (2, 3)), [2, 3, 1]),
            (quote!(block = 32, cluster = (2, 1, 4)), [2, 1, 4]),
        ];
        for (args, dims) in cases {
            let (options, error) = parse_arguments(args);
            assert!(error.is_none(), "{error:?}");
            assert_eq!(options.cluster.map(|cluster| cluster.dims), Some(dims));
        }
    }

    #[test]
    fn wrong_clusters_are_reported() {
        let cases = [
            (quote!(cluster = 16), "a cluster has at most 8 blocks, not 16"),
            (quote!(cluster = (4, 4)), "a cluster has at most 8 blocks, not 16"),
            (quote!(cluster = (2, 0)), "a cluster has at least one block along each axis"),
            (quote!(cluster = N), "the blocks of a cluster along an axis are a number"),
            (
                quote!(cluster = 2, cooperative),
                "the blocks of a cooperative kernel do not run in clusters",
            ),
        ];
        for (args, expected) in cases {
            let (_, error) = parse_arguments(args);
            let found: Vec<_> = error.into_iter().flatten().map(|e| e.to_string()).collect();
            assert_eq!(found, [expected]);
        }
    }
}
