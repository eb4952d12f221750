//! The rest of a request, as far as rules need it.

use super::Reader;
use super::raw::{RawCache, RawList, RawRequest, RawText, RawTyped, right};
use crate::context::{Container, Context, Thinking, Tools};
use crate::loose::Loose;

impl<'a> Reader<'a> {
    /// The rest of a request.
    pub(super) fn context(&mut self, request: RawRequest<'a>) -> Context {
        let mut context = Context {
            container: request
                .container
                .map(|container| container.map_or(Container::Null, |_| Container::Given)),
            ..Context::default()
        };
        if let Some(RawText(name)) = right(request.model) {
            context.set_model(&name);
        }
        if let Some(RawTyped { kind, .. }) = right(request.thinking) {
            context.thinking = right(kind).and_then(|RawText(mode)| Thinking::named(&mode));
        }
        let mut declared = Tools::default();
        context.tools = match request.tools {
            None | Some(Some(Loose::Wrong)) => None,
            Some(None) => Some(declared),
            Some(Some(Loose::Right(RawList(tools)))) => {
                for tool in tools.into_iter().filter_map(Loose::right) {
                    let name = right(tool.name).map(|RawText(name)| self.texts.intern(name).symbol);
                    let kind = right(tool.kind);
                    declared.declare(name, kind.as_ref().map(|RawText(kind)| kind.as_ref()));
                    if let Some(cache) = right(tool.cache_control) {
                        context.breakpoints.add(cache.lives_long());
                    }
                }
                Some(declared)
            }
        };
        let system = right(request.system).map(|RawList(texts)| texts).unwrap_or_default();
        for text in system.into_iter().filter_map(Loose::right) {
            if let Some(cache) = right(text.cache_control) {
                context.breakpoints.add(cache.lives_long());
            }
        }
        context.breakpoints.automatic = right(request.cache_control).map(RawCache::lives_long);
        if let Some(RawList(betas)) = right(request.betas) {
            context.betas.get_or_insert_default();
            for RawText(beta) in betas.into_iter().filter_map(Loose::right) {
                context.add_betas(&beta);
            }
        }
        if let Some(RawText(header)) = right(request.extra_headers).and_then(|h| right(h.betas)) {
            context.add_betas(&header);
        }
        context
    }
}
