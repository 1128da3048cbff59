"""Composition: settings, configuration, routing, logging, health. Nobody imports it."""
