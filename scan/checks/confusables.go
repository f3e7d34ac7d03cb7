package checks

import "strings"

// confusables lists letters that are taken for a Latin one at a glance, in the
// sense of the skeleton of UTS 39: each Latin letter and what stands in for it.
// It holds the letters that fonts draw alike, not every likeness of the Unicode
// table: what differs to the eye deceives nobody.
const confusables = "" +
	"aа cс eе oо pр xх yу iі jј sѕ dԁ qԛ wԝ hһ lӏ vѵ " + // Cyrillic
	"AА BВ EЕ KК MМ HН OО PР CС TТ YУ XХ IІ JЈ SЅ QԚ WԜ VѴ " +
	"AΑ BΒ EΕ ZΖ HΗ IΙ KΚ MΜ NΝ OΟ PΡ TΤ YΥ XΧ oο " + // Greek
	"oօ nո uս hհ gց qզ jյ OՕ UՍ SՏ " + // Armenian
	"AᎪ JᎫ EᎬ WᎳ MᎷ HᎻ GᏀ VᏙ SᏚ LᏞ CᏟ PᏢ KᏦ DᎠ RᎡ TᎢ BᏴ " + // Cherokee
	"lⅼ iⅰ vⅴ xⅹ cⅽ dⅾ mⅿ LⅬ IⅠ VⅤ XⅩ CⅭ DⅮ MⅯ" // numerals

// weakConfusables are letters that formulas use beside Latin ones. They count
// only inside a longer word.
const weakConfusables = "aα vν pρ iι uυ"

// lookAlikes maps a letter to the Latin one it looks like.
func lookAlikes(table string) map[rune]rune {
	out := map[rune]rune{}
	for pair := range strings.FieldsSeq(table) {
		r := []rune(pair)
		out[r[1]] = r[0]
	}
	return out
}
