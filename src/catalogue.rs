//! The catalogue: everything that a spec can name, gathered from the lists of its families.

use std::sync::OnceLock;

use crate::spec::{Catalogue, Family, PartInfo, Spec};
use crate::types::Result;
use crate::{candidates, games, openings, player, playout, selection};

/// Built once; its order is the order in which things are shown.
pub fn catalogue() -> &'static Catalogue {
    static CATALOGUE: OnceLock<Catalogue> = OnceLock::new();
    CATALOGUE.get_or_init(|| {
        let families: [(Family, Vec<PartInfo>); 6] = [
            (Family::Game, games::infos()),
            (Family::Player, player::infos()),
            (Family::Selection, selection::infos()),
            (Family::Playout, playout::infos()),
            (Family::Candidates, candidates::infos()),
            (Family::Openings, openings::infos()),
        ];
        let parts = families
            .into_iter()
            .flat_map(|(family, infos)| infos.into_iter().map(move |info| (family, info)));
        Catalogue { parts: parts.collect(), named: player::named::NAMED.to_vec() }
    })
}

/// Reads a text and writes every default out.
pub fn read(family: Family, text: &str) -> Result<Spec> {
    catalogue().read(family, text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::OptionInfo;

    fn default_is_valid(family: Family, info: &PartInfo, option: &OptionInfo) -> bool {
        let text = format!("{}({}={})", info.name, option.name, option.default);
        option.default == "none" || read(family, &text).is_ok()
    }

    #[test]
    fn every_default_is_a_value_of_its_option() {
        for (family, info) in &catalogue().parts {
            for option in info.options {
                assert!(
                    default_is_valid(*family, info, option),
                    "{} {}={}",
                    info.name,
                    option.name,
                    option.default
                );
                assert!(!option.doc.is_empty());
            }
            assert!(!info.doc.is_empty());
        }
    }

    #[test]
    fn every_named_spec_resolves_to_a_fixed_point() {
        for named in &catalogue().named {
            let once = read(named.family, named.name).unwrap().to_string();
            assert_eq!(read(named.family, &once).unwrap().to_string(), once, "{}", named.name);
        }
    }

    #[test]
    fn every_part_alone_resolves_to_a_fixed_point() {
        for (family, info) in &catalogue().parts {
            let once = read(*family, info.name).unwrap().to_string();
            assert_eq!(read(*family, &once).unwrap().to_string(), once);
        }
    }

    #[test]
    fn names_are_unique_in_their_family() {
        for family in Family::ALL {
            let mut names = catalogue().names(family);
            let all = names.len();
            names.sort();
            names.dedup();
            assert_eq!(names.len(), all, "{}", family.name());
        }
    }

    #[test]
    fn a_time_limit_replaces_the_number_of_simulations() {
        let spec = read(Family::Player, "uct(seconds=0.5)").unwrap().to_string();
        assert!(spec.contains("simulations=none") && spec.contains("seconds=0.5"), "{spec}");
        assert!(read(Family::Player, "uct").unwrap().to_string().contains("simulations=1000"));
    }
}
