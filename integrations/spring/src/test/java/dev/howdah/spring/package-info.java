/** Tests of the starter; the module spring-boot-4 compiles and runs the same. */
@NullMarked
package dev.howdah.spring;

import org.jspecify.annotations.NullMarked;
