"""The demo's material: self-made clips with a known truth, or somebody's own pairs, as an import folder."""

from catalogue.demo.folder import DemoTruth, write_demo_folder
from catalogue.demo.pairs import PairsUnusable, folder_from_pairs

__all__ = ["DemoTruth", "PairsUnusable", "folder_from_pairs", "write_demo_folder"]
