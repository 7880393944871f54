/** The lists of {@code howdah top}: what each reads, and what keys do with its rows. */
@NullMarked
package dev.howdah.daemon.cli.top.list;

import org.jspecify.annotations.NullMarked;
