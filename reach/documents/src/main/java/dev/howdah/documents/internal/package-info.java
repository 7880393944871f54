/**
 * The program of a process that fills templates and makes PDF. It knows no database, network or file: what it needs comes by standard
 * input, and a template or a layout that takes too long ends with the process.
 */
@NullMarked
package dev.howdah.documents.internal;

import org.jspecify.annotations.NullMarked;
